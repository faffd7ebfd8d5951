import { type LoadResult, type Protocol, runLoad } from "./lanes.ts";
import { restPlacement, socketPlacement } from "./orders.ts";
import type { ServerProcess } from "./processes.ts";
import type { ThreadCpu } from "./thread-cpu.ts";

/** Connections that carry a load, each with one request in flight. */
export const CONNECTIONS = 128;
/** Before the measurement, the server compiles its hot code. */
const warmUpOf = (seconds: number): number => Math.min(3, 3 * seconds);
/** Requests that are prepared for each second of a run; more than a core can answer. */
const PER_SECOND = 20_000;
const requestsOf = (seconds: number): number => Math.ceil(PER_SECOND * seconds);

/**
 * One measurement: answers per second, their latency, and the cost of each to the threads of the server, in
 * microseconds.
 */
export type Measurement = Readonly<{
  answers: number;
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
    answers,
    perSecond: sorted.length / seconds,
    p50Us: at(0.5),
    p99Us: at(0.99),
    mainUs: (after.mainUs - before.mainUs) / answers,
    frontsUs: (after.frontsUs - before.frontsUs) / answers,
    othersUs: (after.othersUs - before.othersUs) / answers,
  };
}

/** Prepared requests, until they or the time run out. */
function timedSource(requests: readonly Buffer[], seconds: number): () => Buffer | undefined {
  let next = 0;
  let endsAt: bigint | undefined;
  return () => {
    endsAt ??= process.hrtime.bigint() + BigInt(Math.round(seconds * 1e9));
    return process.hrtime.bigint() < endsAt ? requests[next++] : undefined;
  };
}

/** The target and the duration of a load, and the number of its first request, since no number may be used twice. */
type Round = Readonly<{ protocol: Protocol; from: number; seconds: number; server: ServerProcess }>;

/** One run of one subject. Throws if an answer was not a success, or an acknowledged order does not exist. */
async function runRound({ protocol, from, seconds, server }: Round): Promise<Measurement> {
  const now = Date.now();
  const requests = Array.from({ length: requestsOf(seconds) }, (_, index) =>
    protocol === "socket" ? socketPlacement(from + index, now) : restPlacement(from + index),
  );
  const before = await server.state();
  const source = timedSource(requests, seconds);
  const result = await runLoad({ port: server.port, protocol, connections: CONNECTIONS, source });
  if (result.failures.length > 0) throw new Error(`refused: ${result.failures.join("\n")}`);
  const after = await server.state();
  const placed = after.openParents - before.openParents;
  const acknowledged = result.latenciesUs.length + result.unmeasured;
  if (server.kind !== "bare" && placed !== acknowledged) {
    throw new Error(`${acknowledged} orders were acknowledged and ${placed} are there`);
  }
  return measured(result, before.cpuCollected, after.cpu);
}

/** How many request numbers a measurement may use. */
export const numbersOf = (seconds: number): number => requestsOf(warmUpOf(seconds)) + requestsOf(seconds);

/** One measurement of a server after its warm-up. */
export async function measureLoad(round: Round): Promise<Measurement> {
  const warmUp = warmUpOf(round.seconds);
  await runRound({ ...round, seconds: warmUp });
  return await runRound({ ...round, from: round.from + requestsOf(warmUp) });
}
