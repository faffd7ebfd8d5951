import { ERRORS } from "../../../src/errors/index.ts";
import { type CampaignResult, fuzz } from "./campaign.ts";
import { serveParent } from "./server-process.ts";

const [command = "", path = ""] = process.argv.slice(2);

if (command === "server") await serveParent(path);
else await campaign();

async function campaign(): Promise<void> {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  const cases = Number(process.env["CASES"] ?? 120_000);
  console.log(`seed ${seed}; SEED=${seed} npm run program -- fuzz makes these requests again`);
  const program = process.argv[1] ?? "";
  const result = await fuzz({ program, seed, cases, batch: 5_000, report: (line) => console.log(line) });
  printSummary(result);
  for (const problem of result.problems) console.log(`\nBROKEN: ${problem}`);
  if (result.problems.length > 0) process.exitCode = 1;
  else console.log("no rule is broken");
}

function printSummary(result: CampaignResult): void {
  const { sent, seconds, kinds, successes, statuses, codes, closes, memory } = result;
  console.log(`\n${sent} requests and messages in ${Math.round(seconds)} s, ${Math.round(sent / seconds)}/s`);
  for (const [kind, count] of kinds.rows()) {
    console.log(`  ${kind}: ${count}, of them done ${successes.of(kind)}`);
  }
  console.log(`by status: ${statuses.line()}`);
  console.log(`by code: ${codes.line()}`);
  console.log(`connections ended: ${closes.line()}`);
  const known = new Set(Object.values(ERRORS).map(({ code }) => String(code)));
  const unseen = [...known].filter((code) => codes.of(code) === 0);
  console.log(
    `${known.size - unseen.length} of ${known.size} error codes seen; not seen: ${unseen.join(" ")}`,
  );
  const [first, last] = [memory[0], memory.at(-1)];
  console.log(
    `${result.created} orders created, ${result.events} events; RSS ${first?.rssMb.toFixed(0)} MB after the first batch, ` +
      `${last?.rssMb.toFixed(0)} MB at the end; heap ${first?.heapMb.toFixed(0)} MB and ${last?.heapMb.toFixed(0)} MB; ` +
      `slowest probe ${result.slowestProbeMs.toFixed(0)} ms, longest turn ${result.longestTurnMs.toFixed(0)} ms`,
  );
}
