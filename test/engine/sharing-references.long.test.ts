import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { ParentOrder, Quote } from "../../src/model/index.ts";
import { MarkHistory, TriggerBook } from "../../src/triggers/index.ts";
import { type Cluster, type Sharer, TTL_MS } from "../support/cluster.ts";
import {
  accountOn,
  move,
  orderOn,
  pairOf,
  placeOn,
  referenceOn,
  shardIn,
  verified,
} from "../support/sharing.ts";

const TRAIL = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "20" } as const;

/** Places a trailing order on a node, which becomes active at a bid. */
async function activeOn(
  cluster: Cluster,
  node: Sharer,
  accountId: number,
  bid: string,
): Promise<ParentOrder> {
  // The quote that stands at its acceptance is its first observation.
  await cluster.quote(bid, "150");
  const order = await placeOn(node, accountId, TRAIL);
  await cluster.pass(1_000);
  expect(referenceOn(node, order)).toBe(bid);
  return order;
}

describe("the reference of a trailing order whose shard moves", () => {
  it("is the same on the next owner, and follows its quotes from there", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await activeOn(cluster, a, accountOn(a), "100");
    await cluster.quote("110", "150");
    await cluster.quote("105", "150");
    await move(cluster, shardIn(order), b);
    expect([referenceOn(a, order), referenceOn(b, order)]).toEqual([undefined, "110"]);
    await cluster.quote("112", "150");
    await cluster.quote("111", "150");
    expect(referenceOn(b, order)).toBe("112");
    await cluster.quote("92", "150");
    expect((await orderOn(b, order)).trigger).toMatchObject({ level: price("92") });
    await cluster.pass(TTL_MS);
    await verified([a, b]);
  });

  it("does not wait for the marks of another shard of the node that is read again", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const other = await activeOn(cluster, a, account, "100");
    const order = await activeOn(cluster, a, accountOn(a, account + 1), "101");
    let appends = 0;
    a.faults.append = (honest) => (appends++ === 0 ? Promise.reject(new Error("lost")) : honest());
    a.faults.fence = () => Promise.reject(new Error("away"));
    await expect(placeOn(a, account, { price: "50" })).rejects.toThrow();
    await cluster.quote("110", "150");
    await cluster.quote("105", "150");
    expect(await move(cluster, shardIn(order), b)).toBeLessThan(4_000);
    expect(referenceOn(b, order)).toBe("110");
    a.faults.fence = undefined;
    await cluster.pass(TTL_MS);
    await move(cluster, shardIn(other), b);
    expect(referenceOn(b, other)).toBe("110");
    await verified([a, b]);
  });

  it("is the last durable mark at least after a crash", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await activeOn(cluster, a, accountOn(a), "100");
    await cluster.quote("110", "150");
    await cluster.pass(500);
    a.process.kill();
    await cluster.quote("115", "150");
    await cluster.quote("101", "150");
    await cluster.pass(20_000);
    expect(referenceOn(b, order)).toBe("110");
  });

  it("knows nothing of extremes that the next owner saw before the activation", async () => {
    const { cluster, a, b } = await pairOf();
    // Node b records marks up to a higher extreme and more positions for an order of its own.
    const other = await activeOn(cluster, b, accountOn(b), "100");
    for (const bid of ["120", "125", "130"]) {
      await cluster.quote(bid, "150");
      await cluster.pass(200);
    }
    await cluster.quote("112", "150");
    const order = await activeOn(cluster, a, accountOn(a), "111");
    await move(cluster, shardIn(order), b);
    expect([referenceOn(b, order), referenceOn(b, other)]).toEqual(["111", "130"]);
    await cluster.quote("113", "150");
    expect([referenceOn(b, order), referenceOn(b, other)]).toEqual(["113", "130"]);
  });

  it("stays what it was when the shard comes back to a node that went on with marks of others", async () => {
    const { cluster, a, b } = await pairOf();
    const [mine, another] = [accountOn(a), accountOn(a, accountOn(a) + 1)];
    const order = await activeOn(cluster, a, mine, "100");
    const other = await activeOn(cluster, a, another, "100");
    await move(cluster, shardIn(order), b);
    for (const bid of ["104", "108", "106"]) {
      await cluster.quote(bid, "150");
      await cluster.pass(200);
    }
    expect([referenceOn(a, other), referenceOn(b, order)]).toEqual(["108", "108"]);
    // An order that becomes active on b after the extreme must not inherit it on a.
    await cluster.quote("103", "150");
    const late = await placeOn(b, mine, TRAIL);
    await cluster.pass(200);
    expect(referenceOn(b, late)).toBe("103");
    await move(cluster, shardIn(order), a);
    expect([referenceOn(a, order), referenceOn(a, other), referenceOn(a, late)]).toEqual([
      "108",
      "108",
      "103",
    ]);
    await cluster.quote("105", "150");
    await cluster.pass(200);
    await move(cluster, shardIn(order), b);
    expect([referenceOn(b, order), referenceOn(b, late)]).toEqual(["108", "105"]);
    await cluster.pass(TTL_MS);
    await verified([a, b]);
  });

  it("an order that becomes active at a price that was recorded before the shard came has a mark of its own", async () => {
    const { cluster, a, b } = await pairOf();
    // On a, the marks of the shard have reached high positions.
    const order = await activeOn(cluster, a, accountOn(a), "100");
    for (let step = 1; step <= 9; step++) {
      await cluster.quote(String(100 + step), "150");
      await cluster.pass(200);
    }
    // On b, the newest recorded price is 109, at a low position.
    const [first, second] = [accountOn(b), accountOn(b, accountOn(b) + 1)];
    const earlier = await placeOn(b, first, TRAIL);
    await cluster.quote("109", "150");
    await cluster.pass(200);
    expect(referenceOn(b, earlier)).toBe("109");
    await move(cluster, shardIn(order), b);
    const later = await placeOn(b, second, TRAIL);
    await cluster.quote("109", "150");
    await cluster.pass(1_000);
    expect(referenceOn(b, later)).toBe("109");
    b.process.kill();
    await cluster.pass(25_000);
    expect((await orderOn(a, later)).frozen).toBeUndefined();
    expect([order, earlier, later].map((one) => referenceOn(a, one))).toEqual(["109", "109", "109"]);
  });
});

describe("a store that does not keep marks while their shard leaves", () => {
  const away = (): Promise<never> => Promise.reject(new Error("the store is away"));

  it("is asked again, so that the next owner has the reference of the last quote", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await activeOn(cluster, a, accountOn(a), "100");
    a.faults.append = away;
    await cluster.quote("110", "150");
    const moving = move(cluster, shardIn(order), b);
    await cluster.pass(4_000);
    a.faults.append = undefined;
    await moving;
    expect(referenceOn(b, order)).toBe("110");
  });

  it("does not keep them later: an order that became active elsewhere meanwhile knows nothing of them", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const order = await activeOn(cluster, a, account, "100");
    a.faults.append = away;
    await cluster.quote("110", "150");
    await move(cluster, shardIn(order), b, 30_000);
    expect(referenceOn(b, order)).toBe("110");
    await cluster.quote("103", "150");
    const late = await placeOn(b, account, TRAIL);
    await cluster.pass(200);
    await move(cluster, shardIn(order), a);
    a.faults.append = undefined;
    await cluster.pass(10_000);
    expect([order, late].map((one) => referenceOn(a, one))).toEqual(["110", "103"]);
    a.process.kill();
    await cluster.pass(25_000);
    expect([order, late].map((one) => referenceOn(b, one))).toEqual(["110", "103"]);
  });
});

describe("I31: an activation that waits while the lease is not renewed", () => {
  it("keeps its reference when the shard is read again meanwhile", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const order = await placeOn(a, account, { ...TRAIL, stopPrice: "108" });
    const before = a.renewedMs;
    while (a.renewedMs === before) await cluster.pass(50);
    a.faults["leases.renew"] = () => Promise.reject(new Error("the store is away"));
    for (let second = 0; second < 7; second++) {
      await cluster.pass(1_000);
      await cluster.quote("100", "150");
    }
    let failAppend = (): void => undefined;
    a.faults.append = () =>
      new Promise((_, reject) => {
        failAppend = () => reject(new Error("the store is away"));
      });
    const lost = placeOn(a, account, { price: "50" }).catch(() => undefined);
    await cluster.pass(2_400);
    await cluster.quote("110", "150");
    failAppend();
    a.faults.append = undefined;
    await cluster.quote("106", "150");
    a.faults["leases.renew"] = undefined;
    await cluster.pass(2_500);
    await lost;
    expect(referenceOn(a, order)).toBe("110");
    a.process.kill();
    await cluster.pass(25_000);
    expect(referenceOn(b, order)).toBe("110");
    await cluster.quote("90", "150");
    expect((await orderOn(b, order)).trigger).toMatchObject({ reference: price("110") });
  });
});

describe("the position of a seed", () => {
  it("is that of a mark with its price, whatever positions the marks of a shard have that came later", () => {
    const market = { symbol: "BTC/USD", side: "bid" } as const;
    const quoteOf = (bid: string, timeMs: number): Quote => ({
      ...{ symbol: market.symbol, bids: [], asks: [], timeMs, sequence: timeMs },
      ...{ bid: price(bid), ask: price("200") },
    });
    const watch = { kind: "trail", side: "bid", distance: { kind: "amount", amount: price("20") } } as const;
    const history = new MarkHistory();
    const book = new TriggerBook(market.symbol, history);
    book.add({ orderId: -256 - 3, acceptedAtMs: 1, acceptance: 1, watch });
    book.observe(quoteOf("100", 1));
    for (const mark of book.takeMarks()) history.add(mark);
    history.add({ ...market, shard: 7, position: 50, price: price("140"), timeMs: 2 });
    book.add({ orderId: -256 - 4, acceptedAtMs: 2, acceptance: 2, watch });
    const [activated] = book.observe(quoteOf("100", 3)).activated;
    const marks = book.takeMarks().filter(({ shard }) => shard === 4);
    expect(marks).toMatchObject([{ position: activated?.activation.position, price: price("100") }]);
  });
});
