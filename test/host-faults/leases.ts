import { statusOf } from "../../src/lifecycle/index.ts";
import {
  type Cluster,
  type ClusterNode,
  createCluster,
  type Sharer,
  type StoreFaults,
  settle,
} from "../support/cluster.ts";
import { AFTER_CLOSE_MS, type Column, LATE_MS } from "./columns.ts";

/** A call of a store's leases: the node whose call fails, and answers of the wrong type or out of range. */
export type LeaseCall = Readonly<{
  name: string;
  /** `owner`: of the node that owns the shards. `standby`: of the node that takes over from it. */
  at: "owner" | "standby";
  /** How the owner ends. */
  ends: "dies" | "closes" | "stays";
  /** Whether the nodes share the shards. The owner then gives a part of them to the other node. */
  shares?: true;
  wrong?: unknown;
  range?: unknown;
}>;

const SHARDS = Array.from({ length: 257 }, (_, shard) => shard);
const NAN_CLOCK = { alive: true, clockMs: Number.NaN };

/** A node of either form. */
type Node = ClusterNode | Sharer;

/** The calls of a store's leases with which nodes take shards and give them up. */
export const LEASE_CALLS: readonly LeaseCall[] = [
  {
    ...{ name: "leases.join", at: "standby", ends: "dies" },
    wrong: 1,
    range: { incarnation: 2 ** 53, clockMs: 0 },
  },
  { name: "leases.renew", at: "owner", ends: "stays", wrong: true, range: NAN_CLOCK },
  {
    ...{ name: "leases.nodes", at: "standby", ends: "dies" },
    wrong: [],
    range: { nodes: [], shards: SHARDS.map((shard) => ({ shard: shard + 1, epoch: 1 })) },
  },
  { name: "leases.retire", at: "standby", ends: "dies", wrong: "yes", range: 1 },
  {
    ...{ name: "leases.claim", at: "standby", ends: "dies" },
    wrong: true,
    range: SHARDS.map((shard) => ({ shard, epoch: -1, sequence: 0 })),
  },
  { name: "leases.release", at: "owner", ends: "closes" },
  { ...{ name: "leases.assign", at: "owner", ends: "stays", shares: true }, wrong: "all", range: 258 },
  { name: "leases.leave", at: "owner", ends: "closes" },
  {
    ...{ name: "leases.heads", at: "standby", ends: "dies" },
    wrong: true,
    range: SHARDS.map((shard) => ({ shard, epoch: 1, sequence: -1 })),
  },
  {
    ...{ name: "leases.tail", at: "standby", ends: "dies" },
    wrong: "records",
    range: [{ shard: 256, sequence: 1, changes: [] }],
  },
  {
    ...{ name: "leases.prints", at: "standby", ends: "dies", shares: true },
    wrong: "prints",
    range: [{ place: { owner: -1, position: 0 }, print: {} }],
  },
];

/** Calls of a node only while it opens. */
const WHILE_OPENING: readonly string[] = ["leases.join", "leases.heads"];

const TTL_MS = 2_000;
const WATCH_MS = 30_000;
const STEP_MS = 500;

type Fault = NonNullable<StoreFaults[string]>;

function faultOf({ wrong, range }: LeaseCall, column: Column, late: (ms: number) => Promise<void>): Fault {
  const faults: Record<Column, Fault> = {
    throws: refused,
    rejects: () => Promise.reject(new Error("the words of the host")),
    "never answers": () => new Promise(() => undefined),
    "answers late": (honest) => late(LATE_MS).then(honest),
    "wrong type": () => wrong,
    "out of range": () => range,
    twice: (honest) => honest().then(honest),
    "after close": (honest) => late(AFTER_CLOSE_MS).then(honest),
    "while opening": refused,
  };
  return faults[column];
}

const refused = (): never => {
  throw new Error("the words of the host");
};

/** Returns why a cell does not apply; undefined if the test runs it. */
function reasonOf({ name, wrong }: LeaseCall, column: Column): string | undefined {
  if (wrong === undefined && (column === "wrong type" || column === "out of range"))
    return "the engine expects no answer";
  if (WHILE_OPENING.includes(name) && column === "after close") return "a node asks only while it opens";
  return undefined;
}

/** Returns what a cluster of two nodes does when a call of the leases fails. */
export async function observeLease(call: LeaseCall, column: Column): Promise<string> {
  const reason = reasonOf(call, column);
  if (reason !== undefined) return `not applicable: ${reason}`;
  const reported = new Set<string>();
  const isWhileOpening = column === "while opening" || WHILE_OPENING.includes(call.name);
  const failing = call.at === "owner" ? "a" : "b";
  const late = (ms: number): Promise<void> =>
    new Promise((resolve) => cluster.clock.schedule(cluster.clock.monotonicMs() + ms, resolve));
  const fault = faultOf(call, column, late);
  const cluster: Cluster = createCluster(undefined, {
    answer: (_name, level, event) => void (level !== "debug" && reported.add(event)),
    faults: (name) => (isWhileOpening && name === failing ? { [call.name]: fault } : {}),
  });
  const nodes: Node[] = [];
  let client = "";
  for (const name of ["a", "b"]) {
    // These clusters have no quotes.
    const options = [name, { stalledAfterMs: 600_000 }, { ttlMs: TTL_MS }] as const;
    const node = call.shares === true ? cluster.join(...options) : cluster.start(...options);
    const opening = node.then(
      (opened) => void nodes.push(opened),
      (error: unknown) => {
        client = `openNode rejects with ${(error as Error).name}; `;
      },
    );
    await pass(cluster, LATE_MS, opening);
    await pass(cluster, TTL_MS);
    const [a] = nodes;
    if (name === "a" && a?.engine !== undefined) await cluster.place(a, { price: "90" });
  }
  for (const { name, faults } of nodes) if (name === failing) faults[call.name] = fault;
  reported.clear();
  client += await ending(call, column, { cluster, nodes });
  const served = await servedBy(nodes);
  const operator = [...reported, ...reasonsOf(nodes)].sort().join(", ") || "nothing";
  return `client: ${client}${served.by}; operator: ${operator}; kept: ${served.order}`;
}

/** Ends the owner as the call says, or closes the node whose call fails; returns what became of that. */
async function ending(
  { ends, at }: LeaseCall,
  column: Column,
  { cluster, nodes }: Readonly<{ cluster: Cluster; nodes: readonly Node[] }>,
): Promise<string> {
  const [a, b] = nodes;
  let answer = "";
  const closes = column === "after close" && at === "standby" ? closeNode(b) : undefined;
  const closed =
    ends === "closes" || (column === "after close" && at === "owner") ? a?.engine?.close() : closes;
  closed?.then(
    () => {
      answer = "close resolves; ";
    },
    () => {
      answer = "close rejects; ";
    },
  );
  if (ends === "dies") a?.process.kill();
  await pass(cluster, WATCH_MS);
  return closed === undefined ? "" : answer || "close does not answer; ";
}

const closeNode = (node: Node | undefined): Promise<unknown> | undefined => node?.node.close();

async function servedBy(nodes: readonly Node[]): Promise<Readonly<{ by: string; order: string }>> {
  for (const { name, engine, process } of nodes) {
    if (engine === undefined || process.dead) continue;
    const page = { accountId: 1, includeHistory: true, newestFirst: true, limit: 5, afterOrderId: 0 };
    const found = await engine.page(page).catch(() => undefined);
    const order = found?.orders[0];
    if (found === undefined) continue;
    const { status = "nothing", apiState = "" } = order === undefined ? {} : statusOf(order);
    return { by: `served by node ${name}`, order: `${status} ${apiState}`.trim() };
  }
  return { by: "served by no node", order: "in the journal" };
}

/** Conditions of engines, and whether a node gives reasons why it could not take shards. */
function reasonsOf(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((one) => {
    if (one.process.dead) return [];
    const kinds = one.engine?.status().reasons.map(({ kind }) => kind);
    return [...(kinds ?? []), ...(one.node.status().reasons.length > 0 ? ["status of the node"] : [])];
  });
}

/** Lets time pass, at most until something is done. */
async function pass(cluster: Cluster, ms: number, until?: Promise<void>): Promise<void> {
  let isDone = false;
  until?.then(() => {
    isDone = true;
  });
  for (let left = ms; left > 0 && !isDone; left -= STEP_MS) await cluster.clock.advanceBy(STEP_MS, settle);
}
