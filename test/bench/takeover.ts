import {
  createMarketFeed,
  createMemoryDisk,
  createMemoryStore,
  type MarketFeed,
  type MemoryDisk,
} from "../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { type Engine, openStandby, type Standby } from "../../src/engine/index.ts";
import { SHARD_COUNT } from "../../src/model/index.ts";
import { ABOVE, benchOptions, restStops } from "./bench-engine.ts";
import type { Size } from "./line.ts";
import { figure, printTable } from "./measure.ts";
import { schedulerClock } from "./scheduler-clock.ts";

const PARENTS = 100_000;
const TTL_MS = 30_000;
/** Orders that are placed in one turn. Leases are renewed between two turns. */
const AT_ONCE = 1_000;

/** A moment by the clock of the machine, and by the processor time of the main thread where the system tells it. */
type Moment = Readonly<{ wallMs: number; ranMs: number }>;

const now = (): Moment => ({ wallMs: performance.now(), ranMs: (schedulerClock?.().ranUs ?? 0) / 1_000 });

const between = (from: Moment, to: Moment): string =>
  `${figure(to.wallMs - from.wallMs)} (${figure(to.ranMs - from.ranMs)})`;

type Node = Readonly<{ standby: Standby; claimedAt: () => Moment }>;

async function startNode(name: string, disk: MemoryDisk, marketData: MarketFeed): Promise<Node> {
  const options = benchOptions(createMemoryStore({ disk, clock: createSystemClock() }), { marketData });
  const standby = await openStandby({ ...options, cluster: { name, ttlMs: TTL_MS } });
  let claimedAt = now();
  standby.onStatus(({ state }) => {
    if (state === "taking-over") claimedAt = now();
  });
  return { standby, claimedAt: () => claimedAt };
}

const ready = (standby: Standby): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (standby.status().state === "ready") resolve();
    };
    standby.onStatus(look);
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

/** Hands over between two nodes in one process, on a store in memory; returns the times. */
async function handOver(parents: number): Promise<Readonly<{ opening: string; without: string }>> {
  const [disk, market] = [createMemoryDisk(), createMarketFeed()];
  const a = await startNode("a", disk, market);
  const owner = await a.standby.takenOver;
  for (let left = parents; left > 0; left -= AT_ONCE) {
    await restStops(owner, Math.min(AT_ONCE, left), SHARD_COUNT);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const b = await startNode("b", disk, market);
  const quotes = setInterval(() => market.quote(ABOVE), 100);
  await ready(b.standby);
  const refused = refusedAt(owner);
  const closed = owner.handOver();
  const engine = await b.standby.takenOver;
  const openAt = now();
  await closed;
  clearInterval(quotes);
  const result = { opening: between(b.claimedAt(), openAt), without: between(await refused, openAt) };
  await engine.close();
  return result;
}

/** Prints how long a takeover reads and arms, and for how long a planned hand-over there is no engine for new orders. */
export async function benchTakeover({ of }: Size): Promise<void> {
  const rows: string[][] = [["open parents", "read and arm, ms", "hand-over without service, ms"]];
  for (const parents of [PARENTS / 100, PARENTS / 10, PARENTS].map(of)) {
    const { opening, without } = await handOver(parents);
    rows.push([figure(parents), opening, without]);
  }
  printTable(
    "Takeover between two nodes of one process, on a store in memory; in brackets processor time",
    rows,
  );
}
