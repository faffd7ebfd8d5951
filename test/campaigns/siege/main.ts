import { fileURLToPath } from "node:url";
import type { AttackTarget } from "./attack.ts";
import { ATTACKS, runAttack } from "./attacks.ts";
import { besiege, faultsOf, type Outcome } from "./campaign.ts";
import { openSiegeServer } from "./server.ts";

const [command = "", argument = "", name = ""] = process.argv.slice(2);
const program = fileURLToPath(import.meta.url);

const CONNECTIONS = Number(process.env["CONNECTIONS"] ?? 200);
const SECONDS = Number(process.env["SECONDS"] ?? 8);

const COLUMNS = [
  "attack",
  "lives",
  "answers",
  "failed",
  "calm p99 ms",
  "p50 ms",
  "p99 ms",
  "longest turn ms",
  "peak MB",
  "kept MB",
  "sent MB",
  "cut",
];

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

function rowOf(outcome: Outcome): readonly string[] {
  const {
    name,
    ended,
    answers,
    failures,
    calmMs,
    p50Ms,
    p99Ms,
    longestTurnMs,
    peakBytes,
    retainedBytes,
    harm,
  } = outcome;
  return [
    ...[name, ended === undefined ? "yes" : `no: ${ended}`, `${answers}`, `${failures.length}`],
    ...[calmMs, p50Ms, p99Ms, longestTurnMs].map((ms) => ms.toFixed(0)),
    ...[megabytes(peakBytes), megabytes(retainedBytes), megabytes(harm?.sentBytes ?? 0)],
    `${harm?.cut ?? 0} of ${harm?.opened ?? 0}`,
  ];
}

const print = (cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);

async function serve(folder: string): Promise<void> {
  const server = await openSiegeServer(folder, ATTACKS.find((attack) => attack.name === name)?.before);
  process.on("disconnect", () => process.exit(1));
  process.on("message", () => process.send?.(server.state()));
  process.send?.({ port: server.port, attackedPort: server.attackedPort });
}

if (command === "server") await serve(argument);
else if (command === "attacker") {
  process.send?.("begins");
  process.send?.(await runAttack(JSON.parse(argument) as AttackTarget));
} else {
  print(COLUMNS);
  print(COLUMNS.map(() => "---"));
  const extent = { connections: CONNECTIONS, milliseconds: SECONDS * 1_000 };
  const outcomes = await besiege(program, {
    ...extent,
    only: command,
    report: (outcome) => print(rowOf(outcome)),
  });
  const faults = outcomes.flatMap(faultsOf);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
