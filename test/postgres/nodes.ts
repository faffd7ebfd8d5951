import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ChildRequest, Fill } from "../../src/model/index.ts";
import type { ChildReport, NotFound } from "../../src/ports/index.ts";
import type { FromNode, NodeTask, ToNode } from "./node-child.ts";
import { LossyProxy } from "./proxy.ts";
import { demand, type Step, type Surroundings, sleep, until } from "./steps.ts";

const TTL_MS = 4_000;
const ORDERS = 40;
const QUOTE_EVERY_MS = 25;

/** A venue in this process. It executes each child once and completely, and none after its deadline. */
class Venue {
  readonly reports: Map<string, ChildReport> = new Map();
  /** Names of the nodes that sent each child, in order. */
  readonly senders: Map<string, string[]> = new Map();
  late = 0;

  submit(sender: string, { childId, quantity, limitPrice }: ChildRequest, deadlineMs: number): ChildReport {
    this.senders.set(childId, [...(this.senders.get(childId) ?? []), sender]);
    const known = this.reports.get(childId);
    if (known !== undefined) return known;
    const isLate = Date.now() > deadlineMs;
    if (isLate) this.late++;
    const price = (limitPrice ?? 10_000_000_000) as Fill["price"];
    const fill = { executionId: `x-${childId}`, quantity, price, timeMs: Date.now() };
    const report: ChildReport = isLate
      ? { childId, state: "rejected", fills: [] }
      : { childId, state: "closed", fills: [fill] };
    this.reports.set(childId, report);
    return report;
  }

  lookup({ childId }: ChildRequest): ChildReport | NotFound {
    return this.reports.get(childId) ?? { notFoundAtMs: Date.now() };
  }
}

/** One process of the cluster. */
class Node {
  readonly name: string;
  readonly process: ChildProcess;
  readonly states: string[] = [];
  readonly placed: Map<string, string | undefined> = new Map();
  verified: Extract<FromNode, { kind: "verified" }> | undefined;
  /** Children that it sent, with the time of their arrival. */
  readonly sent: number[] = [];
  isClosed = false;

  constructor(task: NodeTask, venue: Venue) {
    this.name = task.name;
    this.process = spawn(process.execPath, [process.argv[1] ?? "", "--node", JSON.stringify(task)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
    });
    this.process.on("message", (message: FromNode) => this.#received(message, venue));
  }

  report(message: ToNode): void {
    if (this.process.connected) this.process.send(message, () => undefined);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }

  #received(message: FromNode, venue: Venue): void {
    if (message.kind === "status") this.states.push(message.state);
    else if (message.kind === "placed") this.placed.set(message.clientOrderId, message.error);
    else if (message.kind === "verified") this.verified = message;
    else if (message.kind === "closed") this.isClosed = true;
    else if (message.kind === "lookup")
      this.report({ kind: "answer", number: message.number, answer: venue.lookup(message.child) });
    else {
      this.sent.push(Date.now());
      const answer = venue.submit(this.name, message.child, message.deadlineMs);
      this.report({ kind: "answer", number: message.number, answer });
    }
  }
}

type Cluster = Readonly<{
  venue: Venue;
  /** Starts a process that reaches the server through a port. */
  start: (name: string, port?: number) => Node;
  bid: { now: number };
}>;

/** Runs a cluster with a market whose quotes come every 25 ms, and ends every process that was started. */
async function withCluster(place: Surroundings, run: (cluster: Cluster) => Promise<void>): Promise<void> {
  const [venue, nodes, bid] = [new Venue(), [] as Node[], { now: 100 }];
  const timer = setInterval(() => {
    const quote = { symbol: "BTC/USD", bid: String(bid.now), ask: String(bid.now + 1) };
    for (const node of nodes) node.report({ kind: "quote", quote });
  }, QUOTE_EVERY_MS);
  const start = (name: string, port?: number): Node => {
    const { server, schema } = place;
    const node = new Node({ name, url: server.url(port), schema, ttlMs: TTL_MS }, venue);
    nodes.push(node);
    return node;
  };
  try {
    await run({ venue, start, bid });
  } finally {
    clearInterval(timer);
    for (const node of nodes) await node.kill();
  }
}

/** A pair of an active node with orders of which the market triggers one after the other, and a standby. */
async function loadedPair(cluster: Cluster): Promise<Readonly<{ first: Node; second: Node }>> {
  const first = cluster.start("first");
  await until("the first node", () => first.states.includes("active"));
  const second = cluster.start("second");
  await until("the standby", () => second.states.includes("ready"));
  for (let n = 0; n < ORDERS; n++) {
    const stop = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "1" } as const;
    const order = { ...stop, stopPrice: String(99 - n), newClientOrderId: `stop-${n}` } as const;
    first.report({ kind: "place", order });
  }
  await until("the acceptances", () => first.placed.size === ORDERS);
  demand(
    [...first.placed.values()].every((error) => error === undefined),
    "an order was refused",
  );
  cluster.bid.now = 100 - ORDERS / 4;
  await until("the first children", () => cluster.venue.reports.size > 0);
  return { first, second };
}

/** Every order was executed once, by one child, and the journal gives the state. */
async function check({ venue, bid }: Cluster, successor: Node): Promise<void> {
  for (let n = ORDERS / 4; n <= ORDERS + 5; n++) {
    bid.now = 100 - n;
    await sleep(2 * QUOTE_EVERY_MS);
  }
  await until("the last executions", async () => {
    successor.verified = undefined;
    successor.report({ kind: "verify" });
    await until("an answer", () => successor.verified !== undefined);
    const { open, unknown } = successor.verified ?? { open: 1, unknown: 1 };
    return open === 0 && unknown === 0;
  });
  demand(successor.verified?.equal === true, "journal and state differ after the takeover");
  const executed = [...venue.reports.values()].filter(({ fills }) => fills.length > 0);
  demand(executed.length === ORDERS, `${executed.length} of ${ORDERS} orders were executed`);
  for (const [childId, senders] of venue.senders)
    demand(senders.length === 1, `the child ${childId} was sent by ${senders.join(" and ")}`);
}

const killed: Step = (place) =>
  withCluster(place, async (cluster) => {
    const { first, second } = await loadedPair(cluster);
    await first.kill();
    await until("the takeover", () => second.states.includes("active"));
    await check(cluster, second);
  });

const stopped: Step = (place) =>
  withCluster(place, async (cluster) => {
    const { first, second } = await loadedPair(cluster);
    first.process.kill("SIGSTOP");
    await until("the takeover", () => second.states.includes("active"));
    const [sent, late] = [first.sent.length, cluster.venue.late];
    first.process.kill("SIGCONT");
    await until("what the stopped node says", () => first.states.includes("LEASE_LOST"));
    await check(cluster, second);
    // The signal may fall between the last look at the clock and the write. The deadline covers this one child.
    const after = first.sent.length - sent;
    const refused = cluster.venue.late - late;
    demand(after <= 1, `the node sent ${after} children after it went on`);
    demand(refused === after, `the venue took ${after - refused} children of the node after it went on`);
  });

const restarted: Step = (place) =>
  withCluster(place, async (cluster) => {
    const { first, second } = await loadedPair(cluster);
    await second.kill();
    await first.kill();
    const again = cluster.start("again");
    await until("the restart", () => again.states.includes("active"));
    await check(cluster, again);
    again.report({ kind: "close" });
    await until("the close", () => again.isClosed);
  });

const away: Step = (place) =>
  withCluster(place, async ({ start }) => {
    const proxy = await LossyProxy.create(place.server.port);
    const node = start("alone", proxy.port);
    const order = {
      symbol: "BTC/USD",
      side: "SELL",
      type: "STOP_MARKET",
      quantity: "1",
      stopPrice: "20",
    } as const;
    const place10 = async (name: string): Promise<void> => {
      for (let n = 0; n < 10; n++)
        node.report({ kind: "place", order: { ...order, newClientOrderId: `${name}-${n}` } });
      await until(
        "the answers",
        () => [...node.placed.keys()].filter((id) => id.startsWith(name)).length === 10,
      );
    };
    const verify = async (): Promise<Extract<FromNode, { kind: "verified" }>> => {
      node.verified = undefined;
      node.report({ kind: "verify" });
      await until("a verification", () => node.verified !== undefined);
      return node.verified as never;
    };
    await until("the node", () => node.states.includes("active"));
    await place10("before");
    const before = await verify();
    proxy.behaviour.refuses = true;
    proxy.cut();
    await until("the end of the lease", () => node.states.includes("LEASE_LAPSED"));
    await place10("refused");
    await sleep(place.long === true ? 30_000 : 2_000);
    proxy.behaviour.refuses = false;
    await until("the renewal", () => node.states.includes("LEASE_RENEWED"));
    await place10("after");
    const after = await verify();
    const errors = [...node.placed].filter(([, error]) => error !== undefined).map(([id]) => id);
    demand(
      errors.length === 10 && errors.every((id) => id.startsWith("refused")),
      `refused: ${errors.join()}`,
    );
    demand(after.equal && after.open === 20, `${after.open} orders are open`);
    demand(after.loads === before.loads, `${after.loads - before.loads} shards were read again`);
    await proxy.close();
  });

/** Whole engines in processes of their own, with a venue outside of them. */
export const NODE_STEPS: Readonly<Record<string, Step>> = {
  "I21: a standby takes over from a node that was killed, and no child is sent twice": killed,
  "I21: nothing of a node that was stopped and goes on is executed, and it reports LEASE_LOST": stopped,
  "a server that was away is used again, and no shard is read again": away,
  "I53: an engine is killed and opened again, and journal and state are equal": restarted,
};
