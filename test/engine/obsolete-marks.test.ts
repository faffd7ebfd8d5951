import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import { type MarkParts, ObsoleteMarks } from "../../src/engine/commit/housekeeping.ts";
import type { Core } from "../../src/engine/core/core.ts";
import type { Activation, MarketMark } from "../../src/model/index.ts";
import { MarkHistory } from "../../src/triggers/index.ts";
import { SYMBOL } from "../support/world.ts";

const mark = (shard: number, position: number): MarketMark => ({
  ...{ shard, position, symbol: SYMBOL, side: "bid", price: price("100"), timeMs: position },
});

type Row = {
  state: string;
  memory: { liveOrders: Map<number, unknown> };
  activating: Map<number, Pick<Activation, "position">>;
};

const rowOf = (): Row => ({ state: "running", memory: { liveOrders: new Map() }, activating: new Map() });

/** Two shards with marks that nobody needs, of a market that has reached position 9. */
function searching() {
  const rows: Row[] = [0, 1].map(rowOf);
  const history = new MarkHistory();
  for (const one of [mark(0, 1), mark(0, 9), mark(1, 2), mark(1, 9)]) history.add(one);
  const parts = {
    shards: { all: rows, at: (shard: number) => rows[shard] },
    market: { history, book: () => undefined },
  } as unknown as MarkParts;
  const core = { turns: { spend: () => undefined, next: async () => undefined } } as unknown as Core;
  const search = new ObsoleteMarks(core, parts).inBatchesOf(1);
  const next = async (): Promise<readonly number[]> =>
    ((await search.next()).value ?? []).map(({ shard, position }: MarketMark) => shard * 100 + position);
  return { rows, history, next };
}

describe("I31: the search for marks that no reference needs", () => {
  it("finds those below the newest one in every shard", async () => {
    const { next } = searching();
    expect([await next(), await next(), await next()]).toEqual([[1], [102], []]);
  });

  it("ends when a shard has left and come back, whose orders elsewhere rest on marks below", async () => {
    const { rows, history, next } = searching();
    expect(await next()).toEqual([1]);
    rows[1] = rowOf();
    history.add(mark(1, 5));
    expect(await next()).toEqual([]);
  });

  it("ends also between two batches of one shard, when that shard has left and come back", async () => {
    const { rows, history, next } = searching();
    for (const [position, of] of [
      [3, "110"],
      [4, "105"],
    ] as const)
      history.add({ ...mark(0, position), price: price(of) });
    expect(await next()).toEqual([1]);
    rows[0] = rowOf();
    history.prune(0);
    // Another node has made these marks, and an order of it rests on the first.
    for (const one of [{ ...mark(0, 5), price: price("120") }, mark(0, 9)]) history.add(one);
    expect(await next()).toEqual([]);
  });

  it("leaves the mark of an activation that waits in the mailbox of its shard, as it does while trust has lapsed", async () => {
    const { rows, history, next } = searching();
    history.add({ ...mark(1, 2), price: price("110") });
    const order = { orderId: -1, intent: { symbol: SYMBOL, side: "SELL" } };
    rows[1]?.memory.liveOrders.set(-1, { working: order, durable: order });
    rows[1]?.activating.set(-1, { position: 2 });
    expect([await next(), await next()]).toEqual([[1], []]);
  });
});
