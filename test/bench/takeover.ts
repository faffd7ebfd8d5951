import {
  createMarketFeed,
  createMemoryDisk,
  createMemoryStore,
  type MarketFeed,
  type MemoryDisk,
} from "../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { type ClusterNode, openNode } from "../../src/cluster/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { type ParentIntent, SHARD_COUNT } from "../../src/model/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { SYMBOL } from "../support/world.ts";
import { ABOVE, benchOptions, intentsOf, placeAll, stopIntent } from "./bench-engine.ts";
import type { Size } from "./line.ts";
import { figure, printTable, quantileOf } from "./measure.ts";
import { schedulerClock } from "./scheduler-clock.ts";

const PARENTS = 100_000;
/** Hand-overs of one kind of parents. */
const HAND_OVERS = Number(process.env.HAND_OVERS ?? 7);
const TTL_MS = 30_000;
/** Orders that are placed in one turn. Leases are renewed between two turns. */
const AT_ONCE = 1_000;

/** A moment or a time by the clock of the machine, and by the processor time of the main thread where the system tells it. */
type Moment = Readonly<{ wallMs: number; ranMs: number }>;

const now = (): Moment => ({ wallMs: performance.now(), ranMs: (schedulerClock?.().ranUs ?? 0) / 1_000 });

const between = (from: Moment, to: Moment): Moment => ({
  wallMs: to.wallMs - from.wallMs,
  ranMs: to.ranMs - from.ranMs,
});

type Node = Readonly<{ node: ClusterNode; takenOver: Promise<Engine>; claimedAt: () => Moment }>;

async function startNode(name: string, disk: MemoryDisk, marketData: MarketFeed): Promise<Node> {
  const options = benchOptions(createMemoryStore({ disk, clock: createSystemClock() }), { marketData });
  const node = await openNode({ ...options, cluster: { name, ttlMs: TTL_MS, standby: true } });
  let claimedAt: Moment | undefined;
  const takenOver = new Promise<Engine>((resolve) => {
    const look = (): void => {
      const { shards, keepsMarket } = node.status();
      if (shards > 0) claimedAt ??= now();
      if (shards === SHARD_COUNT && keepsMarket) resolve(node.engine);
    };
    node.onStatus(look);
    look();
  });
  return { node, takenOver, claimedAt: () => claimedAt ?? now() };
}

const ready = (node: ClusterNode): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (node.status().state === "ready") resolve();
    };
    node.onStatus(look);
    look();
  });

/** Returns when an engine began to refuse new orders, as a client that asks in every turn sees it. */
const refusedAt = (engine: Engine): Promise<Moment> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (engine.draining) resolve(now());
      else setImmediate(look);
    };
    look();
  });

type Kind = Readonly<{ name: string; intent: () => ParentIntent }>;

const STOPS: Kind = { name: "stops", intent: () => stopIntent() };
const KINDS: readonly Kind[] = [
  STOPS,
  {
    name: "stops that expire",
    intent: () => ({ ...stopIntent(), timeInForce: "GTD", expireTimeMs: Date.now() + 86_400_000 }),
  },
  { name: "active trailing stops", intent: () => trailingIntent() },
];

let named = 0;

const trailingIntent = (): ParentIntent =>
  orderIntent({
    ...{
      symbol: SYMBOL,
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      quantity: "0.125",
      trailingAmount: "900",
    },
    newClientOrderId: `bench-trailing-number-${++named}`,
  });

/** Quotes whose bid falls a little, so that orders that become active on each have references of their own. */
function fallingMarket(market: MarketFeed): () => void {
  let cents = 1_000_000;
  return () => {
    cents--;
    market.quote({ ...ABOVE, bid: (cents / 100).toFixed(2) });
  };
}

/** Places parents that rest. */
async function rest(owner: Engine, { intent }: Kind, parents: number, quote: () => void): Promise<void> {
  for (let left = parents; left > 0; left -= AT_ONCE) {
    await placeAll(owner, intentsOf(Math.min(AT_ONCE, left), intent), { accounts: SHARD_COUNT });
    quote();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type HandOver = Readonly<{ opening: Moment; without: Moment }>;

/** Hands over to a node that follows, which becomes the owner. */
async function handOver(owner: Engine, to: Node): Promise<HandOver> {
  await ready(to.node);
  const refused = refusedAt(owner);
  const closed = owner.handOver();
  await to.takenOver;
  const openAt = now();
  await closed;
  return { opening: between(to.claimedAt(), openAt), without: between(await refused, openAt) };
}

/** Hands parents over between nodes of one process, on a store in memory, as often as `times` says. */
async function handOvers(kind: Kind, parents: number, times: number): Promise<readonly HandOver[]> {
  const [disk, market] = [createMemoryDisk(), createMarketFeed()];
  const quote = fallingMarket(market);
  let owner = await (await startNode("0", disk, market)).takenOver;
  quote();
  await rest(owner, kind, parents, quote);
  const found: HandOver[] = [];
  const quotes = setInterval(quote, 100);
  for (let n = 1; n <= times; n++) {
    const next = await startNode(String(n), disk, market);
    found.push(await handOver(owner, next));
    owner = await next.takenOver;
  }
  clearInterval(quotes);
  await owner.close();
  return found;
}

/** Prints how long a takeover reads and arms, and for how long a planned hand-over there is no engine for new orders. */
export async function benchTakeover({ of }: Size): Promise<void> {
  const rows: string[][] = [
    ["open parents", "read and arm, ms: p50", "p99", "hand-over without service, ms: p50", "p99"],
  ];
  const small = [PARENTS / 100, PARENTS / 10].map((parents) => ({ kind: STOPS, parents: of(parents) }));
  const large = KINDS.map((kind) => ({ kind, parents: of(PARENTS) }));
  for (const { kind, parents } of [...small, ...large]) {
    const found = await handOvers(kind, parents, HAND_OVERS);
    const cells = [found.map(({ opening }) => opening), found.map(({ without }) => without)].flatMap((all) =>
      [0.5, 0.99].map((share) => {
        const [wallMs, ranMs] = [all.map((one) => one.wallMs), all.map((one) => one.ranMs)];
        return `${figure(quantileOf(wallMs, share))} (${figure(quantileOf(ranMs, share))})`;
      }),
    );
    rows.push([`${figure(parents)} ${kind.name}`, ...cells]);
  }
  printTable(
    "Takeover between two nodes of one process, on a store in memory; in brackets processor time",
    rows,
  );
}
