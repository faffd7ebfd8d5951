import { describe, expect, it } from "vitest";
import { formatPrice, notional, price } from "../../src/decimal/index.ts";
import {
  type AmendableOrder,
  admitAmend,
  amendableFields,
  amendObstacle,
  type PreviewContext,
  previewAmend,
} from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { type AmendFields, amendmentOf, type OrderFields, orderIntent } from "../../src/requests/index.ts";
import { schedulePlan } from "../../src/schedules/index.ts";
import { managedOrderView } from "../../src/service/index.ts";
import { referenceOf, trailingLevel } from "../../src/triggers/index.ts";
import { NOW, quoteAt, Subject } from "./support.ts";

const QUOTE = { bid: "100", ask: "101" };
const CONTEXT: PreviewContext = { quote: QUOTE, nowMs: NOW };
const sell = { symbol: "BTC/USD", side: "SELL", quantity: "1", newClientOrderId: "a" } as const;
const stop = { ...sell, type: "STOP_MARKET", stopPrice: "90" } as const;
const trail = { ...sell, type: "TRAILING_STOP_MARKET", trailingDelta: 1_000 } as const;

const ORDERS: Readonly<Record<string, OrderFields>> = {
  stop,
  "stop-limit": { ...stop, type: "STOP_LOSS_LIMIT", price: "89", icebergQty: "0.5" },
  "trailing stop": trail,
  "trailing stop-limit": { ...sell, type: "TRAILING_STOP_LIMIT", price2: "5", limitOffset: "1" },
  "gated trailing stop": { ...trail, stopPrice: "120" },
  limit: { ...sell, type: "SYNTHETIC_LIMIT", price: "110", expireTime: NOW + 60_000 },
  "post-only": { ...sell, type: "LIMIT_MAKER", price: "110" },
  iceberg: { ...sell, type: "ICEBERG", price: "110", icebergQty: "0.3" },
  TWAP: { ...sell, type: "LIMIT", targetStrategy: 180, price: "90", interval: 60_000, intervalCount: 4 },
  POV: { ...sell, type: "POV", participationBips: 1_000 },
};

const CHANGES: readonly AmendFields[] = [
  { quantity: "2" },
  { quantity: "0.3" },
  { quantity: "0.1" },
  { stopPrice: "95" },
  { stopPrice: "90" },
  { price: "130" },
  { price: "60" },
  { trailingDelta: 500 },
  { trailingAmount: "3" },
  { limitOffset: "2" },
  { icebergQty: "0.2" },
  { expireTime: NOW + 1 },
  { expireTime: NOW },
  { price: "x" },
  {},
];

const child = { kind: "CHILD", childId: "", atMs: 0 };

/** Orders of every kind, as they are placed, triggered, partly executed, with a child and ended. */
function* orders(): Generator<readonly [string, ParentOrder]> {
  for (const [name, fields] of Object.entries(ORDERS)) {
    const intent = orderIntent(fields);
    const { schedule } = intent;
    const placed = new Subject(intent).order;
    const order =
      schedule === undefined
        ? placed
        : { ...placed, plan: schedulePlan({ acceptedAtMs: NOW, schedule, count: 4 }) };
    yield [name, order];
    yield [`${name}, partly executed`, { ...order, executedQuantity: 300_000 as never, executedFine: 1 }];
    yield [
      `${name}, triggered`,
      { ...order, trigger: { level: price("95"), observed: price("95"), atMs: NOW } },
    ];
    yield [`${name}, with a child`, { ...order, child: child as never }];
    yield [`${name}, ending`, { ...order, pendingEnd: { status: "CANCELED", reason: "USER_CANCELED" } }];
    yield [`${name}, ended`, { ...order, ended: { status: "EXPIRED", reason: "EXPIRED_GTD", atMs: NOW } }];
  }
}

/** What the engine says of an amend. */
function refused(order: ParentOrder, changes: AmendFields): string | undefined {
  try {
    const { terms } = amendmentOf(changes);
    const obstacle = amendObstacle(order);
    if (obstacle !== undefined) return obstacle.message;
    admitAmend(
      { order, legs: [order], terms },
      { nowMs: NOW, minimum: notional("15"), quote: quoteAt("100", "101") },
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the preview of an amend", () => {
  it("refuses what the service refuses, of every type and state, from what a reply shows", () => {
    let [admitted, total] = [0, 0];
    for (const [name, order] of orders())
      for (const changes of CHANGES) {
        const { refusal } = previewAmend(managedOrderView(order), changes, CONTEXT);
        const wanted = refused(order, changes);
        expect([name, changes, refusal?.message]).toEqual([name, changes, wanted]);
        total++;
        if (wanted === undefined) admitted++;
      }
    expect([admitted > 50, total - admitted > 400]).toEqual([true, true]);
  });

  it("names the fields that can change: a field is among them exactly if some value of it is not refused as fixed", () => {
    for (const [name, order] of orders()) {
      const fields = amendableFields(managedOrderView(order));
      // A child only delays an amend.
      const view = managedOrderView({ ...order, child: undefined });
      const own = CHANGES.flatMap((changes) => Object.keys(changes) as (keyof AmendFields)[]);
      for (const field of new Set(own)) {
        const messages = CHANGES.filter((changes) => field in changes).map(
          (changes) => previewAmend(view, changes, CONTEXT).refusal,
        );
        const isFixed = messages.some((refusal) =>
          /fixed|has no|field in which|ended|being/.test(refusal?.remedy ?? ""),
        );
        expect([name, field, fields.includes(field)]).toEqual([name, field, !isFixed]);
      }
    }
  });

  const view = (fields: OrderFields, members: Partial<AmendableOrder> = {}): AmendableOrder => ({
    ...managedOrderView(new Subject(orderIntent(fields)).order),
    ...members,
  });
  it.each<readonly [string, AmendableOrder, AmendFields, string | undefined, boolean | undefined]>([
    ["a stop below the bid waits", view(stop), { stopPrice: "99.99" }, "99.99", false],
    ["a stop at the bid acts at once", view(stop), { stopPrice: "100" }, "100", true],
    [
      "a purchase stop at the ask acts",
      view({ ...stop, side: "BUY", stopPrice: "150" }),
      { stopPrice: "101" },
      "101",
      true,
    ],
    [
      "a limit that the bid meets acts",
      view({ ...sell, type: "SYNTHETIC_LIMIT", price: "110" }),
      { price: "100" },
      "100",
      true,
    ],
    ["a held leg acts never", view(stop, { held: true }), { stopPrice: "100" }, "100", false],
    [
      "a trail of 10 % at 108 came from 120",
      view(trail, { triggerLevel: "108" }),
      { trailingDelta: 500 },
      "114",
      true,
    ],
    ["a wider one waits", view(trail, { triggerLevel: "108" }), { trailingDelta: 2_000 }, "96", false],
    [
      "of one that does not trail yet, nothing is known",
      view(trail),
      { trailingDelta: 500 },
      undefined,
      undefined,
    ],
    [
      "a schedule waits for its slots",
      view({ ...sell, type: "POV", participationBips: 5 }),
      { quantity: "2" },
      undefined,
      undefined,
    ],
  ])("tells where it acts, and whether at once: %s", (_name, order, changes, level, actsAtOnce) => {
    const preview = previewAmend(order, changes, CONTEXT);
    expect([preview.level, preview.actsAtOnce]).toEqual([level, actsAtOnce]);
  });

  it("warns of what is left to execute, if it fires below the minimum", () => {
    const order = view({ ...stop, stopPrice: "30" }, { executedQty: "0.5" });
    expect(previewAmend(order, { quantity: "1.1" }, CONTEXT).firesBelowMinimum).toBeUndefined();
    const trailing = view({ ...trail, trailingDelta: 9_000 }, { executedQty: "0.5" });
    expect(previewAmend(trailing, { quantity: "1.1" }, CONTEXT).firesBelowMinimum).toEqual({
      price: "10",
      value: "6",
    });
  });

  it("names what is wrong with its input", () => {
    expect(() => previewAmend(view(stop, { type: "NEWER" }), { quantity: "2" })).toThrow(
      /order.type NEWER is unknown/,
    );
    expect(() => previewAmend(view(stop), {}, { quote: { bid: "2", ask: "1" } })).toThrow(
      /^previewAmend.quote.bid 2/,
    );
    const limit = view({ ...sell, type: "SYNTHETIC_LIMIT", price: "110", expireTime: NOW + 1 });
    expect(() => previewAmend(limit, { price: "111" })).toThrow(/^previewAmend.nowMs is missing/);
  });
});

it("the reference of a trailing level has that level", () => {
  const distances = [
    { kind: "bps", bps: 333 },
    { kind: "percent", percent: price("12.3456789") },
    { kind: "amount", amount: price("3.5") },
  ] as const;
  for (const side of ["bid", "ask"] as const)
    for (const distance of distances)
      for (const reference of ["7.00000001", "60000.12345678", "9999999.12345678"].map(price)) {
        const level = trailingLevel({ side, reference, distance });
        const found = referenceOf({ side, level, distance });
        expect(formatPrice(trailingLevel({ side, reference: found, distance }))).toBe(formatPrice(level));
      }
});
