import {
  functionOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  pause,
  wrongOption,
} from "../common/index.ts";
import { checkedForOperator, Questions } from "../host-answers/index.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type {
  Clock,
  ClusterView,
  NodeRow,
  NodeState,
  NodeWish,
  ShardHead,
  ShardLeases,
  ShardOwner,
} from "../ports/index.ts";
import { clockOption, operatorLeasesOption } from "../ports/internal.ts";
import { assignmentsIn } from "./cluster-views.ts";

/** How long the store may take to answer an operator, in milliseconds. */
const ANSWER_MS = 10_000;

/** What an operator's functions need: the leases of the store, such as `store.leases`, and a clock of the operator's own. */
export interface OperatorOptions {
  readonly leases: Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">;
  readonly clock: Clock;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

const signalOption: OptionCheck = (value, name) => {
  if (value !== undefined && !(value instanceof AbortSignal))
    throw wrongOption(value, name, "an AbortSignal");
};

/** Checks of the options that an operator's functions share. */
export const OPERATOR_CHECKS: Readonly<Record<keyof OperatorOptions, OptionCheck>> = {
  leases: operatorLeasesOption,
  clock: clockOption,
  signal: signalOption,
};

/** Checks a function that is called with what happens. */
export const listenerOption: OptionCheck = functionOption("is called with what happens");

/** Returns the leases with every answer read and bounded in time. */
export function checkedLeases({ leases, clock }: OperatorOptions): OperatorOptions["leases"] {
  const telemetry = { event: () => undefined };
  return checkedForOperator(leases, new Questions({ clock, telemetry, timeoutMs: ANSWER_MS }));
}

/** How long an operator's wait may take, and its beginning, by the monotonic clock. */
type WaitBounds = Pick<OperatorOptions, "clock" | "signal"> & Readonly<{ limitMs?: number; sinceMs: number }>;

/** Looks again until `look` resolves to an outcome. A limit or a signal ends that before, with the outcome of `withdrawn`. */
export async function waitFor<T>(
  { clock, signal, limitMs = LIMIT_MS, sinceMs }: WaitBounds,
  look: (elapsedMs: number) => Promise<T | undefined>,
  withdrawn: (why: "aborted" | "limit") => Promise<T>,
): Promise<T> {
  for (;;) {
    const elapsedMs = clock.monotonicMs() - sinceMs;
    const outcome = await look(elapsedMs);
    if (outcome !== undefined) return outcome;
    if (signal?.aborted === true) return await withdrawn("aborted");
    if (elapsedMs >= limitMs) return await withdrawn("limit");
    await pause(clock, Math.min(PAUSE_MS, limitMs - elapsedMs), signal);
  }
}

/** Renewals of a node in one ttl. */
const BEATS_PER_TTL = 4;

const PAUSE_MS = 250;
const LIMIT_MS = 60_000;

/**
 * Whether a node was seen to live. `live`: its beat rose while it was watched. `silent`: it did not, which may be too short
 * a watch. `dead`: another node has declared it dead.
 */
export type NodeLife = "live" | "silent" | "dead";

/** A node of a cluster as an operator sees it. */
export interface NodeReport {
  /** Number of this start among the nodes of the store. */
  readonly incarnation: number;
  readonly name: string;
  /** Where other nodes reach it; empty if they cannot. */
  readonly address: string;
  readonly version: string;
  /** What it said last that it does. */
  readonly state: NodeState;
  readonly beat: number;
  readonly life: NodeLife;
  /** How long its beat was watched, in milliseconds of the operator's own clock. */
  readonly watchedMs: number;
  /** Number of shards that belong to it, without the market journal. */
  readonly shards: number;
  /** Whether it takes a part of the shards beside other nodes. If not, it takes all of them or none. */
  readonly shares: boolean;
  /** Number of shards of others that are assigned to it, and of its own that are assigned to others. */
  readonly coming: number;
  readonly going: number;
  /** Most records that a standby has not read yet. Absent for an owner, and for a node that did not say. */
  readonly behind?: number;
  /** What an operator wants of it. */
  readonly wanted?: NodeWish;
  readonly ttlMs: number;
}

/** What an operator sees of a cluster. */
export interface ClusterReport {
  readonly nodes: readonly NodeReport[];
  readonly shards: readonly ShardOwner[];
  /** Number of shards, with the market journal as one of them, without an owner that was seen to live. */
  readonly unserved: number;
}

/** What `readCluster` reads, and for how long it watches. */
export interface ClusterReportOptions extends OperatorOptions {
  /** How long to watch the beats at most, in milliseconds. Default two beats of the slowest node. */
  readonly watchMs?: number;
}

const reportOptions: OptionCheck = optionsOf<ClusterReportOptions>({
  ...OPERATOR_CHECKS,
  watchMs: optionalOption(numberOption({ from: 0 }, " of milliseconds")),
});

/** The first and the last reading of a node's beat. */
type Watched = {
  readonly first: number;
  last: number;
  readonly sinceMs: number;
  untilMs: number;
};

/**
 * Reads the nodes and the owners of all shards, and watches the beats until every node that is not dead was seen to live,
 * or for `watchMs`. Rejects when the store cannot be read or does not answer within 10 seconds, and with a TypeError or
 * RangeError that names an option that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { type OperatorOptions, readCluster } from "managed-orders/cluster";
 * const look = async (operator: OperatorOptions): Promise<void> => {
 *   const { nodes, unserved } = await readCluster(operator);
 *   for (const { name, life, state, shards } of nodes) console.log(name, life, state, shards);
 *   if (unserved > 0) console.log(`${unserved} shards have no owner that was seen to live`);
 * };
 * ```
 */
export async function readCluster(options: ClusterReportOptions): Promise<ClusterReport> {
  reportOptions(options, "readCluster");
  const leases = checkedLeases(options);
  const { clock, signal } = options;
  const beats = new Map<number, Watched>();
  const startedMs = clock.monotonicMs();
  for (;;) {
    const requestedMs = clock.monotonicMs();
    const view = await leases.nodes();
    note(beats, view, { requestedMs, answeredMs: clock.monotonicMs() });
    const untilMs = startedMs + (options.watchMs ?? twoBeats(view));
    const isObserved = view.nodes.every((row) => row.dead || lifeOf(row, beats) === "live");
    if (isObserved || signal?.aborted === true || clock.monotonicMs() >= untilMs)
      return reportOf(view, beats, await leases.heads());
    await pause(clock, Math.min(PAUSE_MS, untilMs - clock.monotonicMs()), signal);
  }
}

function twoBeats({ nodes }: ClusterView): number {
  let longestMs = 0;
  for (const { dead, ttlMs } of nodes) if (!dead) longestMs = Math.max(longestMs, ttlMs);
  return (2 * longestMs) / BEATS_PER_TTL;
}

function note(
  beats: Map<number, Watched>,
  { nodes }: ClusterView,
  { requestedMs, answeredMs }: Readonly<{ requestedMs: number; answeredMs: number }>,
): void {
  for (const { incarnation, beat } of nodes) {
    const observed = beats.get(incarnation);
    if (observed === undefined)
      beats.set(incarnation, {
        first: beat,
        last: beat,
        sinceMs: answeredMs,
        untilMs: answeredMs,
      });
    else
      Object.assign(observed, {
        last: beat,
        untilMs: Math.max(requestedMs, observed.sinceMs),
      });
  }
}

function lifeOf({ incarnation, dead }: NodeRow, beats: ReadonlyMap<number, Watched>): NodeLife {
  if (dead) return "dead";
  const observed = beats.get(incarnation);
  return observed !== undefined && observed.last > observed.first ? "live" : "silent";
}

function reportOf(
  view: ClusterView,
  beats: ReadonlyMap<number, Watched>,
  heads: readonly ShardHead[],
): ClusterReport {
  const { nodes, shards } = view;
  const records = heads.reduce((sum, { sequence }) => sum + sequence, 0);
  const countsOf = countedIn(view);
  const rows = nodes.map((row): NodeReport => {
    const { incarnation, name, address, version, state, beat, wanted, ttlMs, followed } = row;
    const observed = beats.get(incarnation);
    const isFollower = !row.dead && (state === "following" || state === "ready");
    return {
      ...{ incarnation, name, address, version, state, beat, ttlMs },
      life: lifeOf(row, beats),
      watchedMs: observed === undefined ? 0 : observed.untilMs - observed.sinceMs,
      shares: row.shares === true,
      ...countsOf(incarnation),
      ...(isFollower && followed !== undefined && { behind: Math.max(0, records - followed) }),
      ...(wanted !== undefined && { wanted }),
    };
  });
  const live = new Set<number | undefined>();
  for (const { incarnation, life } of rows) if (life === "live") live.add(incarnation);
  return { nodes: rows, shards, unserved: shards.filter(({ incarnation }) => !live.has(incarnation)).length };
}

type Counts = Pick<NodeReport, "shards" | "coming" | "going">;

/** Counts the shards of each node, and those that are on their way, without the market journal. */
function countedIn(view: ClusterView): (incarnation: number) => Counts {
  const assigned = assignmentsIn(view);
  const counts = new Map<number | undefined, Counts>();
  const countsOf = (node: number | undefined): Counts =>
    counts.get(node) ?? { shards: 0, coming: 0, going: 0 };
  const add = (node: number | undefined, what: keyof Counts): void => {
    const before = countsOf(node);
    counts.set(node, { ...before, [what]: before[what] + 1 });
  };
  for (const { shard, incarnation } of view.shards) {
    if (shard === MARKET_SHARD) continue;
    const next = assigned.get(shard);
    add(incarnation, "shards");
    if (next === undefined) continue;
    add(next, "coming");
    add(incarnation, "going");
  }
  return countsOf;
}
