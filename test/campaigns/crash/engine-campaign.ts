import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createRandom } from "../../../src/common/random.ts";
import { SUBMIT_POINTS } from "../../../src/sandbox/faults.ts";
import { bundleProgram } from "../../support/bundle-program.ts";
import type { ChildMessage, ChildTask } from "./engine-child.ts";

/** How often to crash. */
export type EngineCampaign = Readonly<{ seed: number; randomKills: number; timesPerPoint: number }>;

/** The file and the output of the crashing process, as its parent knows them. */
type Acknowledgements = Readonly<{
  program: string;
  acknowledged: Map<string, number>;
  refused: Set<string>;
}>;

/** Repeatedly kills a process that contains an engine, SQLite, and a venue with a file of its own; without HTTP. */
export async function engineCampaign({
  seed,
  randomKills,
  timesPerPoint,
}: EngineCampaign): Promise<Readonly<{ crashes: number; acknowledged: number }>> {
  const program = await bundleProgram("test/campaigns/crash/engine-child.ts", "engine-child");
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-engine-crash-"));
  const random = createRandom(seed);
  const known: Acknowledgements = { program, acknowledged: new Map(), refused: new Set() };
  const points = SUBMIT_POINTS.flatMap((at) => Array.from({ length: timesPerPoint }, () => at));
  let round = 0;
  try {
    for (const at of [...Array.from({ length: randomKills }, () => undefined), ...points]) {
      round++;
      const task: ChildTask = {
        mode: "load",
        folder,
        seed,
        round,
        ...(at === undefined ? {} : { at, skip: random.below(20) }),
      };
      await run(task, known, at === undefined ? 20 + random.below(150) : undefined);
      await run({ mode: "check", folder, seed, round }, known, undefined);
    }
    return { crashes: round, acknowledged: known.acknowledged.size };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one process to its end; `killAfterMs` counts from its first acknowledgement. */
async function run(task: ChildTask, known: Acknowledgements, killAfterMs: number | undefined): Promise<void> {
  const child = spawn(process.execPath, [known.program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<string | number>((resolve) =>
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 0)),
  );
  let checked = false;
  let killing = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = parse(line);
    if (message === undefined) continue;
    take(message, known);
    checked ||= message.kind === "checked";
    if (killAfterMs !== undefined && !killing) {
      killing = true;
      setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    }
  }
  const how = await ended;
  if (task.mode === "load" && how !== "SIGKILL") throw new Error(`the loaded process ended with ${how}`);
  if (task.mode === "check" && (how !== 0 || !checked)) throw new Error(`the check ended with ${how}`);
}

/** A line that the kill cut off is ignored. */
function parse(line: string): ChildMessage | undefined {
  return line.endsWith("}") ? (JSON.parse(line) as ChildMessage) : undefined;
}

function take(message: ChildMessage, known: Acknowledgements): void {
  const { acknowledged, refused } = known;
  if (message.kind === "acknowledged") acknowledged.set(message.clientOrderId, message.orderId);
  else if (message.kind === "refused") refused.add(message.clientOrderId);
  else checkOrders(message, known);
}

function checkOrders(
  { problems, orders }: Extract<ChildMessage, { kind: "checked" }>,
  { acknowledged, refused }: Acknowledgements,
): void {
  const found = [...problems];
  for (const [clientOrderId, orderId] of acknowledged) {
    if (orders[clientOrderId] !== orderId) found.push(`I01: acknowledged ${clientOrderId} is not there`);
  }
  for (const clientOrderId of refused)
    if (orders[clientOrderId] !== undefined) found.push(`I02: refused ${clientOrderId} is there`);
  if (found.length > 0) throw new Error(found.slice(0, 5).join("\n"));
}
