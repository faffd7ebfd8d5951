import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import {
  exactQuantityText,
  executedText,
  PRICE_SCALE,
  parseScaled,
  QUANTITY_SCALE,
  type Scaled,
} from "../../src/decimal/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { NativeOrder, ParentOrder, Rejection } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { orderTradeUpdate } from "../../src/service/socket/account-events.ts";
import { bookTicker, depthUpdate, partialDepth, trade } from "../../src/service/socket/market-events.ts";
import { managedOrderView } from "../../src/service/views/managed-order.ts";
import { nativeOrderView, scaledView } from "../../src/service/views/native-order.ts";
import { type JsonInput, readJson, writeJson } from "../../src/wire/index.ts";
import { temporaryPlace } from "../adapters/sqlite/temporary-place.ts";
import { samplePrint } from "../store/rules/samples.ts";
import {
  anyAmount,
  anyFill,
  anyMark,
  anyNotional,
  anyParent,
  anyPrice,
  anyPrint,
  anyQuantity,
  anyRecord,
} from "../support/arbitraries.ts";
import { seedOr } from "../support/seed.ts";

const SEED = seedOr(20_261_122);
const SAMPLES = 60;

const sampled = <T>(arbitrary: fc.Arbitrary<T>, count: number = SAMPLES): readonly T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: SEED });

/** Parents that differ in every member by which a store distinguishes them, as shard 3 numbers them. */
const parents: readonly ParentOrder[] = sampled(anyParent).map((parent, index) => {
  const { ended: _ended, ...open } = parent;
  const intent = { ...parent.intent, clientOrderId: `c${index}` };
  return { ...open, orderId: -(256 * (index + 1) + 3), intent };
});

const stores: readonly [string, () => Readonly<{ store: OrderStore; remove: () => void }>][] = [
  ["memory", () => ({ store: createMemoryStore(), remove: () => undefined })],
  [
    "sqlite",
    () => {
      const { path, remove } = temporaryPlace();
      return { store: openSqliteStore({ exclusive: false, path }), remove };
    },
  ],
];

describe.each(stores)(
  `I16: the %s store returns exactly the values that it was given (SEED=${SEED})`,
  (_name, open) => {
    it("records, ended parents, snapshots, marks, quotes and volume", async () => {
      const { store, remove } = open();
      await store.acquire();
      const records = sampled(anyRecord).map((record, index) => ({
        ...record,
        shard: 3,
        sequence: index + 1,
      }));
      const ended = parents.map((parent, atMs) => {
        return { ...parent, ended: { status: "CANCELED", reason: "USER_CANCELED", atMs } as const };
      });
      const marks = sampled(anyMark).map((mark, position) => ({
        ...mark,
        shard: 3,
        symbol: "BTC/USD",
        side: "bid" as const,
        position,
      }));
      const [bid, ask] = sampled(anyPrice, 2);
      if (bid === undefined || ask === undefined) throw new Error("no sample");
      const quotes = [{ symbol: "BTC/USD", bid, ask, timeMs: Number.MAX_SAFE_INTEGER }];
      const prints = sampled(anyPrint).map((print, index) => ({
        ...print,
        price: bid,
        id: `${print.id}${index}`,
      }));
      await store.append({
        shards: [{ shard: 3, epoch: 1, round: 0, records, ended, marks }],
        prints,
        quotes,
      });
      await store.writeSnapshot({ shard: 3, sequence: SAMPLES, counter: SAMPLES, parents });
      expect(await store.readRecords({ shard: 3, after: 0, limit: 999 })).toStrictEqual(records);
      expect(await store.readEnded({ shard: 3, afterOrderId: 0, limit: 999 })).toStrictEqual(ended);
      expect((await store.readSnapshot(3))?.parents).toStrictEqual(parents);
      expect(await store.readMarks()).toStrictEqual(marks);
      expect(await store.readQuotes()).toStrictEqual(quotes);
      const sum = prints.reduce((all, { quantity }) => all + BigInt(quantity), 0n);
      const { bars } = await store.readVolume();
      expect(bars.reduce((all, { quantity }) => all + BigInt(quantity), 0n)).toBe(sum);
      await store.close();
      remove();
    });
  },
);

it(`I16: retained rejections survive the file unchanged (SEED=${SEED})`, async () => {
  const { path, remove } = temporaryPlace();
  const store = openSqliteStore({ exclusive: false, path });
  const rejections = sampled(fc.tuple(anyPrice, anyPrice, anyQuantity)).map(
    ([price, stopPrice, quantity], index): Rejection => ({
      rejectionId: `r${index}`,
      accountId: Number.MAX_SAFE_INTEGER,
      symbol: "BTC/USD",
      clientOrderId: `c${index}`,
      price,
      stopPrice,
      quantity,
      code: -2010,
      rejectReason: "OTHER",
      errorMessage: "no",
      timeMs: Number.MAX_SAFE_INTEGER,
    }),
  );
  for (const rejection of rejections) store.rejections.retain(rejection);
  await store.rejections.flush();
  const listed = await store.rejections.list({ accountId: Number.MAX_SAFE_INTEGER, limit: 999 });
  expect(listed).toStrictEqual(rejections);
  await store.close();
  remove();
});

/** Parses the members that a client reads. */
const readBack = (value: unknown): Record<string, unknown> =>
  readJson(writeJson(value as JsonInput)) as Record<string, unknown>;
const priceIn = (text: unknown): Scaled | undefined => parseScaled(String(text), PRICE_SCALE);
const quantityIn = (text: unknown): Scaled | undefined => parseScaled(String(text), QUANTITY_SCALE);
const check = (run: (order: ParentOrder) => void): void =>
  fc.assert(fc.property(anyParent, run), { numRuns: 300, seed: SEED });

describe("I16: replies and events agree with the order", () => {
  it("managed orders, as text and as whole numbers", () => {
    check((order) => {
      const { intent } = order;
      const view = managedOrderView(order);
      const shown = readBack(view);
      expect(shown.orderId).toBe(order.orderId);
      expect(quantityIn(shown.origQty)).toBe(intent.quantity);
      expect(shown.executedQty).toBe(executedText(order));
      if (intent.price !== undefined) expect(priceIn(shown.price)).toBe(intent.price);
      if (intent.stopPrice !== undefined) expect(priceIn(shown.stopPrice)).toBe(intent.stopPrice);
      if (intent.limitOffset !== undefined) {
        expect(priceIn(shown.limitOffset)).toBe(intent.limitOffset);
        if (order.trigger?.limit !== undefined) expect(priceIn(shown.dynamicLimit)).toBe(order.trigger.limit);
      }
      if (intent.icebergQuantity !== undefined)
        expect(quantityIn(shown.icebergQty)).toBe(intent.icebergQuantity);
      // The average of less than one step may be a price here that no execution has.
      const isLess = order.executedQuantity === 0;
      const whole = isLess ? managedOrderView({ ...order, executedFine: undefined }) : view;
      const scaled = readBack(scaledView(whole));
      expect([scaled.origQty, scaled.executedQty, scaled.price, scaled.stopPrice]).toStrictEqual([
        intent.quantity,
        order.executedQuantity,
        intent.price,
        intent.stopPrice,
      ]);
    });
  });

  it("events of managed orders", () => {
    fc.assert(
      fc.property(
        anyParent,
        anyFill,
        anyAmount,
        anyNotional,
        (order, fill, executedQuantity, executedNotional) => {
          const event = { order, timeMs: 1, execution: "TRADE", view: statusOf(order), fill } as const;
          const reported = orderTradeUpdate(
            { ...event, executed: { executedQuantity, executedNotional } },
            { sequence: 1, nowMs: 2 },
          );
          const o = readBack(reported).o as Record<string, unknown>;
          expect(o.i).toBe(order.orderId);
          expect(o.executionId).toBe(fill.executionId);
          expect(quantityIn(o.q)).toBe(order.intent.quantity);
          expect(priceIn(o.p)).toBe(order.intent.price ?? 0);
          expect(priceIn(o.sp)).toBe(order.intent.stopPrice ?? 0);
          expect(o.l).toBe(exactQuantityText(fill));
          expect(priceIn(o.L)).toBe(fill.price);
          expect(quantityIn(o.z)).toBe(executedQuantity);
        },
      ),
      { numRuns: 300, seed: SEED },
    );
  });

  it("native orders, as text and as whole numbers, ids of 64 bits among them", () => {
    const id = fc.constantFrom(9_007_199_254_740_993n, 2n ** 63n - 1n);
    fc.assert(
      fc.property(id, anyPrice, anyQuantity, anyAmount, (orderId, price, quantity, executedQuantity) => {
        const order: NativeOrder = {
          orderId,
          accountId: 1,
          symbol: "BTC/USD",
          clientOrderId: "c",
          status: "NEW",
          type: "LIMIT",
          side: "BUY",
          timeInForce: "GTC",
          price,
          stopPrice: price,
          quantity,
          executedQuantity,
          updatedAtMs: 1,
          isWorking: true,
        };
        const shown = readBack(nativeOrderView({ order, isPaperTrade: true }));
        expect([shown.orderId, priceIn(shown.price), priceIn(shown.stopPrice)]).toStrictEqual([
          orderId,
          price,
          price,
        ]);
        expect([quantityIn(shown.origQty), quantityIn(shown.executedQty)]).toStrictEqual([
          quantity,
          executedQuantity,
        ]);
        const scaled = readBack(scaledView(nativeOrderView({ order, isPaperTrade: true })));
        expect([
          scaled.orderId,
          scaled.price,
          scaled.stopPrice,
          scaled.origQty,
          scaled.executedQty,
        ]).toStrictEqual([orderId, price, price, quantity, executedQuantity]);
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  it("public streams", () => {
    fc.assert(
      fc.property(anyPrice, anyQuantity, (price, quantity) => {
        const levels = [{ price, size: quantity }];
        const sides = { bid: price, ask: price, bids: levels, asks: levels };
        const quote = { symbol: "BTC/USD", ...sides, timeMs: 1, sequence: 2 };
        const ticker = readBack(bookTicker(quote, 3));
        expect([priceIn(ticker.b), priceIn(ticker.a)]).toStrictEqual([price, price]);
        expect([quantityIn(ticker.B), quantityIn(ticker.A)]).toStrictEqual([quantity, quantity]);
        for (const reported of [
          partialDepth(quote, 3),
          depthUpdate({ before: undefined, quote, first: 2 }, 3),
        ]) {
          const { bids, b = bids } = readBack(reported);
          const [[at, size] = []] = b as readonly (readonly string[])[];
          expect([priceIn(at), quantityIn(size)]).toStrictEqual([price, quantity]);
        }
        const traded = readBack(trade({ ...samplePrint({ quantity }), price }, 3));
        expect([priceIn(traded.p), quantityIn(traded.q)]).toStrictEqual([price, quantity]);
      }),
      { numRuns: 300, seed: SEED },
    );
  });
});
