import { cpus } from "node:os";
import { join } from "node:path";
import { figure, medianOf, printTable } from "../bench/measure.ts";
import { type LoadResult, type Protocol, runLoad } from "./lanes.ts";
import { restPlacement, socketPlacement } from "./orders.ts";
import { type ServerProcess, startServer } from "./processes.ts";

const CONNECTIONS = 128;
const ROUNDS = 3;
/** Before it is measured, a server compiles what it runs often. */
const WARM_UP_SECONDS = 3;
/** Requests that are made for each second of a run; more than a core can answer. */
const PER_SECOND = 20_000;

type Subject = "bare" | "REST" | "WebSocket";

/** One measurement: answers a second, what they took and what each cost the server, microseconds. */
type Measurement = Readonly<{ perSecond: number; p50Us: number; p99Us: number; cpuUs: number }>;

function measured({ seconds, latenciesUs }: LoadResult, cpuUs: number): Measurement {
  const sorted = latenciesUs.slice().sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    perSecond: sorted.length / seconds,
    p50Us: at(0.5),
    p99Us: at(0.99),
    cpuUs: cpuUs / sorted.length,
  };
}

/** Requests that were made beforehand, until they or the time run out. */
function timedSource(requests: readonly Buffer[], seconds: number): () => Buffer | undefined {
  let next = 0;
  let endsAt: bigint | undefined;
  return () => {
    endsAt ??= process.hrtime.bigint() + BigInt(Math.round(seconds * 1e9));
    return process.hrtime.bigint() < endsAt ? requests[next++] : undefined;
  };
}

type Round = Readonly<{ subject: Subject; from: number; seconds: number; server: ServerProcess }>;

/** One run of one subject. Throws when an answer was no success, or an order was acknowledged that is not there. */
async function runRound({ subject, from, seconds, server }: Round): Promise<Measurement> {
  const now = Date.now();
  const requests = Array.from({ length: Math.ceil(PER_SECOND * seconds) }, (_, index) =>
    subject === "WebSocket" ? socketPlacement(from + index, now) : restPlacement(from + index),
  );
  const before = await server.state();
  const protocol: Protocol = subject === "WebSocket" ? "socket" : "http";
  const source = timedSource(requests, seconds);
  const result = await runLoad({ port: server.port, protocol, connections: CONNECTIONS, source });
  if (result.failures.length > 0) throw new Error(`refused: ${result.failures.join("\n")}`);
  const after = await server.state();
  const placed = after.openParents - before.openParents;
  const acknowledged = result.latenciesUs.length + result.unmeasured;
  if (subject !== "bare" && placed !== acknowledged) {
    throw new Error(`${acknowledged} orders were acknowledged and ${placed} are there`);
  }
  return measured(result, after.cpuUs - before.cpuUs);
}

/** Signed durable placements over REST and WebSocket against the bare server, in turns; prints the medians and ratios. */
export async function compareLoads({
  folder,
  seconds,
}: Readonly<{ folder: string; seconds: number }>): Promise<void> {
  const subjects: readonly Subject[] = ["bare", "REST", "WebSocket"];
  const figures = new Map<Subject, Measurement[]>(subjects.map((subject) => [subject, []]));
  const bare = await startServer("bare", { path: "" });
  let from = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    // A service of its own each round: what rests from the round before would not be the same for both.
    for (const subject of subjects) {
      const path = join(folder, `${subject}-${round}.db`);
      const server = subject === "bare" ? bare : await startServer("service", { path });
      await runRound({ subject, from, seconds: WARM_UP_SECONDS, server });
      from += WARM_UP_SECONDS * PER_SECOND;
      const result = await runRound({ subject, from, seconds, server });
      from += Math.ceil(PER_SECOND * seconds);
      if (round > 0) figures.get(subject)?.push(result);
      if (server !== bare) await server.close();
    }
  }
  await bare.close();
  print(figures);
}

function print(figures: ReadonlyMap<Subject, readonly Measurement[]>): void {
  const median = (subject: Subject, of: keyof Measurement): number =>
    medianOf((figures.get(subject) ?? []).map((one) => one[of]));
  const limit = median("bare", "perSecond");
  printTable(
    `Signed durable placements on SQLite, ${CONNECTIONS} connections, one process; Node ${process.version}, ${cpus().length} cores`,
    [
      ["", "answers/s", "of bare node:http", "p50 ms", "p99 ms", "server CPU us"],
      ...[...figures.keys()].map((subject) => [
        subject === "bare" ? "node:http, parses and echoes" : subject,
        figure(median(subject, "perSecond")),
        figure(median(subject, "perSecond") / limit),
        figure(median(subject, "p50Us") / 1_000),
        figure(median(subject, "p99Us") / 1_000),
        figure(median(subject, "cpuUs")),
      ]),
    ],
  );
}
