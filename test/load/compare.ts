import { cpus } from "node:os";
import { join } from "node:path";
import { figure, medianOf, printTable } from "../bench/measure.ts";
import { type LoadResult, type Protocol, runLoad } from "./lanes.ts";
import { restPlacement, socketPlacement } from "./orders.ts";
import { type ServerProcess, startServer } from "./processes.ts";
import type { ThreadCpu } from "./thread-cpu.ts";

const CONNECTIONS = 128;
const ROUNDS = 3;
/** Before it is measured, a server compiles what it runs often. */
const WARM_UP_SECONDS = 3;
/** Requests that are made for each second of a run; more than a core can answer. */
const PER_SECOND = 20_000;

/** Front threads of the subjects that have some; 0: there are none. */
const FRONT_THREADS = Number(process.env["FRONT_THREADS"] ?? "0");

type Subject = "bare" | "REST" | "WebSocket" | "REST, fronts" | "WebSocket, fronts";

const isSocket = (subject: Subject): boolean => subject.startsWith("WebSocket");
const frontThreadsOf = (subject: Subject): number => (subject.endsWith("fronts") ? FRONT_THREADS : 0);

/** One measurement: answers a second, what they took and what each cost the threads of the server, microseconds. */
type Measurement = Readonly<{
  perSecond: number;
  p50Us: number;
  p99Us: number;
  mainUs: number;
  frontsUs: number;
  othersUs: number;
}>;

function measured(
  { seconds, latenciesUs, unmeasured }: LoadResult,
  before: ThreadCpu,
  after: ThreadCpu,
): Measurement {
  const sorted = latenciesUs.slice().sort();
  const answers = sorted.length + unmeasured;
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    perSecond: sorted.length / seconds,
    p50Us: at(0.5),
    p99Us: at(0.99),
    mainUs: (after.mainUs - before.mainUs) / answers,
    frontsUs: (after.frontsUs - before.frontsUs) / answers,
    othersUs: (after.othersUs - before.othersUs) / answers,
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
    isSocket(subject) ? socketPlacement(from + index, now) : restPlacement(from + index),
  );
  const before = await server.state();
  const protocol: Protocol = isSocket(subject) ? "socket" : "http";
  const source = timedSource(requests, seconds);
  const result = await runLoad({ port: server.port, protocol, connections: CONNECTIONS, source });
  if (result.failures.length > 0) throw new Error(`refused: ${result.failures.join("\n")}`);
  const after = await server.state();
  const placed = after.openParents - before.openParents;
  const acknowledged = result.latenciesUs.length + result.unmeasured;
  if (subject !== "bare" && placed !== acknowledged) {
    throw new Error(`${acknowledged} orders were acknowledged and ${placed} are there`);
  }
  return measured(result, before.cpu, after.cpu);
}

/** Signed durable placements over REST and WebSocket against the bare server, in turns; prints the medians and ratios. */
export async function compareLoads({
  folder,
  seconds,
}: Readonly<{ folder: string; seconds: number }>): Promise<void> {
  const fronts = FRONT_THREADS > 0 ? (["REST, fronts", "WebSocket, fronts"] as const) : [];
  const subjects: readonly Subject[] = ["bare", "REST", "WebSocket", ...fronts];
  const figures = new Map<Subject, Measurement[]>(subjects.map((subject) => [subject, []]));
  const bare = await startServer("bare", { path: "" });
  let from = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    // A service of its own each round: what rests from the round before would not be the same for both.
    for (const subject of subjects) {
      const path = join(folder, `${subject}-${round}.db`);
      const server =
        subject === "bare"
          ? bare
          : await startServer("service", { path, frontThreads: frontThreadsOf(subject) });
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
  const [limit, bareUs] = [median("bare", "perSecond"), median("bare", "mainUs")];
  const busiestUs = (subject: Subject): number =>
    Math.max(median(subject, "mainUs"), median(subject, "frontsUs") / Math.max(1, frontThreadsOf(subject)));
  printTable(
    `Signed durable placements on SQLite, ${CONNECTIONS} connections, one process, fronts: ${FRONT_THREADS} threads; Node ${process.version}, ${cpus().length} cores`,
    [
      [
        ...["", "answers/s", "of bare", "of bare by CPU of the busiest thread", "p50 ms", "p99 ms"],
        ...["CPU us: engine thread", "a front thread", "other threads"],
      ],
      ...[...figures.keys()].map((subject) => [
        subject === "bare" ? "node:http, parses and echoes" : subject,
        figure(median(subject, "perSecond")),
        figure(median(subject, "perSecond") / limit),
        figure(bareUs / busiestUs(subject)),
        figure(median(subject, "p50Us") / 1_000),
        figure(median(subject, "p99Us") / 1_000),
        figure(median(subject, "mainUs")),
        figure(median(subject, "frontsUs")),
        figure(median(subject, "othersUs")),
      ]),
    ],
  );
}
