import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { MARKET_SHARD, SHARD_COUNT } from "../../../../src/model/index.ts";
import type { ClusterView } from "../../../../src/ports/index.ts";
import { ABOVE, accountIn } from "../../../bench/bench-engine.ts";
import { type SandboxClient, signedBy } from "../../../support/sandbox-process.ts";
import { answered, ServiceWatch } from "../service-watch.ts";
import { type RunningNode, rowOfProcess, type Stack, within } from "../stack.ts";

/** Pause after a placement that was not answered with success. */
const FAILED_PAUSE_MS = 10;

/** Longest wait for an answer. */
const LONGEST_ANSWER_MS = 1_000;

const FUNDS = "1000000000";

/** An account that places orders, and its client. */
export type Placer = Readonly<{ accountId: number; shard: number; client: SandboxClient }>;

/** Returns so many shards, at even distances. */
export const someShards = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => Math.floor((n * SHARD_COUNT) / count));

/**
 * Opens an account in each of some shards, with a client that keeps its connection and has an address of its own, and gives the
 * market a quote.
 */
export async function openPlacers(
  { running: [node] }: Pick<Stack, "running">,
  shards: readonly number[],
): Promise<readonly Placer[]> {
  if (node === undefined) throw new Error("no node runs");
  const { control } = node.process;
  await control("POST", "quotes", { ...ABOVE, bidQuantity: "1", askQuantity: "1" });
  const placers: Placer[] = [];
  for (const [index, shard] of shards.entries()) {
    const accountId = accountIn(shard);
    const keys = { apiKey: `key-${accountId}`, secret: `secret-${accountId}` };
    const rights = { permissions: ["READ", "TRADE"], enableDataSharing: true };
    await control("POST", "accounts", {
      accountId,
      ...keys,
      ...rights,
      balances: { USD: FUNDS, BTC: FUNDS },
    });
    const agent = new Agent({ keepAlive: true });
    placers.push({ accountId, shard, client: { ...keys, agent, localAddress: `127.0.1.${1 + index}` } });
  }
  return placers;
}

/** Returns the running node that owns each shard. */
export function ownersIn(
  view: ClusterView,
  { running }: Pick<Stack, "running">,
): ReadonlyMap<number, RunningNode> {
  const byIncarnation = new Map<number, RunningNode>();
  for (const node of running) {
    const row = rowOfProcess(view, node.process);
    if (row !== undefined) byIncarnation.set(row.incarnation, node);
  }
  const owners = new Map<number, RunningNode>();
  for (const { shard, incarnation = 0 } of view.shards) {
    const node = byIncarnation.get(incarnation);
    if (node !== undefined && shard !== MARKET_SHARD) owners.set(shard, node);
  }
  return owners;
}

/** Who places at which address, and how often each of them. With `lifeMs`, the orders expire after that time. */
export type PlacingParts = Readonly<{
  placers: readonly Placer[];
  urlFor: (placer: Placer) => string;
  everyMs: number;
  lifeMs?: number;
}>;

/** Places stops that do not fire at a steady rate, until it is stopped. */
export class Placing {
  readonly #parts: PlacingParts;
  readonly #clients: Promise<unknown>;
  #watches: ReadonlyMap<number, ServiceWatch>;
  #isOver = false;

  constructor(parts: PlacingParts) {
    this.#parts = parts;
    this.#watches = this.#newWatches();
    const { placers, everyMs } = parts;
    this.#clients = Promise.all(
      placers.map(async (placer, index) => {
        await sleep((index * everyMs) / placers.length);
        await this.#place(placer);
      }),
    );
  }

  /** Placements that were accepted since the last call of {@link watch} began. */
  get count(): number {
    return [...this.#watches.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /**
   * Calls a function while all accounts are served. Resolves to the longest time between two accepted placements of each
   * account around the call.
   */
  async watch(run: () => Promise<unknown>): Promise<ReadonlyMap<number, number>> {
    this.#watches = this.#newWatches();
    await answered(this.#watches, 2);
    await run();
    await answered(this.#watches, 2);
    return new Map([...this.#watches].map(([accountId, { longestMs }]) => [accountId, longestMs]));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  #newWatches(): ReadonlyMap<number, ServiceWatch> {
    return new Map(this.#parts.placers.map(({ accountId }) => [accountId, new ServiceWatch()]));
  }

  async #place(placer: Placer): Promise<void> {
    const { urlFor, everyMs, lifeMs } = this.#parts;
    const signed = signedBy({ url: urlFor(placer), wsUrl: "", controlUrl: "" }, placer.client);
    while (!this.#isOver) {
      const dueMs = performance.now() + everyMs;
      const fields = { ...STOP, ...(lifeMs !== undefined && { expireTime: Date.now() + lifeMs }) };
      const isAccepted = await within(
        LONGEST_ANSWER_MS,
        "a placement",
        signed("POST", "/api/order", fields),
      ).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isAccepted) this.#watches.get(placer.accountId)?.note();
      await sleep(isAccepted ? Math.max(0, dueMs - performance.now()) : FAILED_PAUSE_MS);
    }
  }
}

const STOP = {
  symbol: ABOVE.symbol,
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "0.125",
  stopPrice: "9000",
};
