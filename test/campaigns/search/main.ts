import { once } from "node:events";
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { boundsWords, type Finding, searchPlan, tableOf, violationLines } from "./campaign.ts";
import { CATALOGUE, SHORT_CATALOGUE } from "./catalogue.ts";
import type { FormPlan } from "./forms.ts";
import { tableInPage, writeTable } from "./lists-page.ts";

/** Two searches at a time use less than 3 GB. */
const WORKERS = Math.min(2, availableParallelism());

if (isMainThread) await search();
else parentPort?.on("message", (plan: FormPlan) => parentPort?.postMessage(searchPlan(plan, Date.now)));

async function search(): Promise<void> {
  const options = process.argv.slice(2);
  const plans = options.includes("--short") ? SHORT_CATALOGUE : CATALOGUE;
  const started = Date.now();
  const findings = await inParallel(plans);
  const sum = (count: (finding: Finding) => number): string =>
    findings.reduce((total, finding) => total + count(finding), 0).toLocaleString("en");
  console.log(
    `${findings.length} forms, ${sum(({ states }) => states)} states, ${sum(({ transitions }) => transitions)} transitions, ` +
      `${sum(({ decisions }) => decisions)} different decisions checked, in ${Math.round((Date.now() - started) / 1_000)} s`,
  );
  const broken = findings.filter(({ violation }) => violation !== undefined);
  for (const line of broken.flatMap(violationLines)) console.log(line);
  if (broken.length > 0) process.exitCode = 1;
  else compareTable(tableOf(findings), options.includes("--write"));
}

function compareTable(table: readonly string[], write: boolean): void {
  if (write) writeTable(table);
  const same = tableInPage().join("\n") === table.join("\n");
  console.log(
    same
      ? `no rule is broken; the table of docs/list-transitions.md (${table.length - 2} rows) is the one that was seen`
      : "no rule is broken, but docs/list-transitions.md shows another table than the one that was seen; --write puts it there",
  );
  if (!same) process.exitCode = 1;
}

/** Searches all forms, the largest (the last in the list) first, and reports each when it is done. */
async function inParallel(plans: readonly FormPlan[]): Promise<readonly Finding[]> {
  const waiting = plans.map((plan, index) => ({ plan, index }));
  const findings: Finding[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const finding = await ask(worker, next.plan);
      findings[next.index] = finding;
      report(finding);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return findings;
}

async function ask(worker: Worker, plan: FormPlan): Promise<Finding> {
  worker.postMessage(plan);
  const [finding] = await once(worker, "message");
  return finding as Finding;
}

let bounds = "";

function report(finding: Finding): void {
  const words = boundsWords(finding.bounds);
  if (words !== bounds) console.log(`\nbounds: quantity 2, prices 3, ${words}`);
  bounds = words;
  const { name, states, transitions, decisions, depth, tookMs, violation } = finding;
  const counts = `${states} states, ${transitions} transitions, ${decisions} decisions, depth ${depth}`;
  console.log(
    `${name}: ${counts}, ${(tookMs / 1_000).toFixed(1)} s${violation === undefined ? "" : `, ${violation.id} BROKEN`}`,
  );
}
