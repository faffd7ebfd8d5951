import { expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import { viewRecord } from "../../src/sandbox/control-routes.ts";

it("prices and quantities of every fact are decimal text; weights and their sums are unchanged", () => {
  const intent = {
    symbol: "BTC/USD",
    side: "BUY",
    type: "VWAP",
    quantity: quantity("999999999999.999999"),
    price: price("9999999999.99999999"),
    icebergQuantity: quantity("0.1"),
    schedule: { intervalMs: 60_000, intervalDelayMs: 0, weights: [1, 2] },
    timeInForce: "GTC",
    reduceOnly: false,
    childTimeInForce: "IOC",
    clientOrderId: "c1",
  } as const;
  const plan = { startsAtMs: 1_000, intervalMs: 60_000, count: 2, cumulative: [1, 10n ** 17n] };
  const print = {
    symbol: "BTC/USD",
    id: "t1",
    quantity: quantity("0.5"),
    timeMs: 900,
    seenAtMs: 901,
    fresh: true,
  };
  const child = {
    childId: "aqc-1",
    attempt: 1,
    quantity: quantity("0.25"),
    limitPrice: price("7000.5"),
    executedQuantity: quantity("0.125"),
    state: "SENT",
    intendedAtMs: 1_000,
    notAfterMs: 3_000,
    slot: 1,
  } as const;
  const record: JournalRecord = {
    shard: 1,
    sequence: 2,
    timeMs: 1_000,
    cause: { kind: "PRINT", print },
    changes: [
      {
        orderId: -257,
        previous: 0,
        facts: [
          { kind: "ACCEPTED", accountId: 1, intent, acceptance: 1, plan, volumeBefore: quantity("12.5") },
          { kind: "CHILD_INTENDED", child, volume: quantity("13"), exposure: quantity("1") },
        ],
      },
    ],
  };
  expect(viewRecord(record)).toEqual({
    ...record,
    cause: { kind: "PRINT", print: { ...print, quantity: "0.5" } },
    changes: [
      {
        orderId: -257,
        previous: 0,
        facts: [
          {
            kind: "ACCEPTED",
            accountId: 1,
            acceptance: 1,
            intent: {
              ...intent,
              quantity: "999999999999.999999",
              price: "9999999999.99999999",
              icebergQuantity: "0.1",
            },
            plan,
            volumeBefore: "12.5",
          },
          {
            kind: "CHILD_INTENDED",
            child: { ...child, quantity: "0.25", limitPrice: "7000.5", executedQuantity: "0.125" },
            volume: "13",
            exposure: "1",
          },
        ],
      },
    ],
  });
});
