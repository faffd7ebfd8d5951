import { describe, expect, it } from "vitest";
import { type ManagedOrderReply, RefusedError, TransportError } from "../../../src/client/index.ts";
import { previewOrder } from "../../../src/lifecycle/index.ts";
import { syncText } from "../../../src/sandbox/console/account-desk.ts";
import { ControlError, controlAt, FAULTS, faultOf } from "../../../src/sandbox/console/control.ts";
import { errorWords, previewWords } from "../../../src/sandbox/console/error-words.ts";
import { childText, lifeOf, type ShownRecord } from "../../../src/sandbox/console/life.ts";
import { ageText, dollars, grouped, shortPrice } from "../../../src/sandbox/console/numbers.ts";
import {
  conditionOf,
  isOpen,
  knownOf,
  reasonWords,
  shareOf,
  statusOf,
  typeName,
  type WordedOrder,
} from "../../../src/sandbox/console/orders.ts";
import { readVenueFault } from "../../../src/sandbox/venue-desk.ts";

const order = (members: Partial<WordedOrder> & Pick<WordedOrder, "type">): WordedOrder => ({
  ...{ side: "SELL", status: "NEW", apiState: "WAITING", held: false, cancelPending: false },
  ...members,
});

describe("numbers for people", () => {
  it("thousands are separated, and nothing is rounded", () => {
    expect(
      ["1234567.5", "999", "-1000", "0.00000001", "60000.12345678"].map((text) => grouped(text)),
    ).toEqual([...["1,234,567.5", "999", "-1,000", "0.00000001", "60,000.12345678"]]);
    expect([dollars("95"), dollars("95.1"), dollars("95.123")]).toEqual(["95.00", "95.10", "95.123"]);
  });

  it("an age is told in whole seconds", () => {
    expect([0, 1_999, 72_500].map(ageText)).toEqual(["1 s old", "1 s old", "1 min 12 s old"]);
  });

  it("a text that is no number stays what it is", () => {
    expect(["", "<b>", "1e5", "1,5"].map((text) => dollars(text))).toEqual(["", "<b>", "1e5", "1,5"]);
  });

  it("an average price has at most four decimals", () => {
    expect([shortPrice("59962.57812345"), shortPrice("60000.1"), shortPrice("60000.10001")]).toEqual([
      ...["59,962.5781", "60,000.10", "60,000.10"],
    ]);
  });
});

describe("the condition of an order, in words", () => {
  it.each([
    [order({ type: "STOP_MARKET", stopPrice: "95" }), "sells when bid ≤ 95.00"],
    [order({ type: "STOP_MARKET", side: "BUY", stopPrice: "95" }), "buys when ask ≥ 95.00"],
    [
      order({ type: "STOP_LOSS_LIMIT", stopPrice: "95", price: "94.5" }),
      "sells when bid ≤ 95.00, limit 94.50",
    ],
    [order({ type: "TAKE_PROFIT_MARKET", stopPrice: "95" }), "sells when bid ≥ 95.00"],
    [order({ type: "TAKE_PROFIT_MARKET", side: "BUY", stopPrice: "95" }), "buys when ask ≤ 95.00"],
    [order({ type: "SYNTHETIC_LIMIT", price: "95" }), "sells when bid ≥ 95.00"],
    [order({ type: "LIMIT_MAKER", side: "BUY", price: "95" }), "buys when ask ≤ 95.00"],
    [order({ type: "ICEBERG", price: "95", icebergQty: "0.1" }), "sells when bid ≥ 95.00, 0.1 at a time"],
    [order({ type: "TRAILING_STOP_MARKET", trailingDelta: 15 }), "sells when bid falls 0.15 % from its high"],
    [
      order({ type: "TRAILING_STOP_MARKET", side: "BUY", trailingAmount: "20", stopPrice: "90" }),
      "buys when ask rises 20.00 USD from its low, from 90.00 on",
    ],
    [
      order({ type: "TRAILING_STOP_MARKET", trailingAmount: "20", triggerLevel: "75.5" }),
      "sells when bid falls 20.00 USD from its high, now at 75.50",
    ],
    [
      order({ type: "TRAILING_STOP_MARKET", trailingAmount: "20", triggerLevel: "75.5", triggerTime: 1 }),
      "sells when bid falls 20.00 USD from its high",
    ],
    [
      order({ type: "TRAILING_STOP_LIMIT", price2: "1.5", limitOffset: "2" }),
      "sells when bid falls 1.5 % from its high, limit 2.00 beyond",
    ],
    [order({ type: "TWAP", interval: 4_000, intervalCount: 5 }), "sells in 5 slots of 4 s"],
    [
      order({ type: "TWAP", interval: 60_000, intervalCount: 5, price: "95" }),
      "sells in 5 slots of 1 min, limit 95.00",
    ],
    [order({ type: "POV", participationBips: 1_000 }), "sells 10 % of the executed volume"],
    [
      order({ type: "STOP_MARKET", stopPrice: "95", held: true }),
      "held until the entry is filled, then sells when bid ≤ 95.00",
    ],
  ])("%#: %j", (given, words) => {
    expect(conditionOf(given)).toBe(words);
  });

  it("states are words", () => {
    const words = (members: Partial<WordedOrder>): string => statusOf(order({ type: "POV", ...members }))[0];
    expect([
      words({}),
      words({ held: true }),
      words({ apiState: "WORKING" }),
      words({ apiState: "UNKNOWN" }),
      words({ cancelPending: true }),
      words({ stalled: "BELOW_MINIMUM" }),
      words({ status: "PARTIALLY_FILLED" }),
      words({ triggerTime: 1 }),
      words({ triggerTime: 1, status: "CANCELED", apiState: "CANCELED" }),
    ]).toEqual([
      "Waiting",
      "Held",
      "At the venue",
      "No answer, asking again",
      "Canceling",
      "Stalled: below minimum",
      "Partly filled",
      "Triggered",
      "Canceled",
    ]);
    expect([isOpen({ status: "PARTIALLY_FILLED" }), isOpen({ status: "EXPIRED" })]).toEqual([true, false]);
    expect(typeName({ type: "TRAILING_STOP_MARKET" })).toBe("Trailing stop");
  });

  it("the end of an order has a reason in words, unless its status says it", () => {
    expect(["FILLED", "USER_CANCELED", "WOULD_MATCH_IMMEDIATELY", "LATER_INVENTED"].map(reasonWords)).toEqual(
      [...["", "", "it would have traded at once", "later invented"]],
    );
  });

  it("what is known of an order needs no history", () => {
    const filled = { origQty: "1", executedQty: "0.5", avgPrice: "94.5", orderId: "-7", symbol: "BTC/USD" };
    const more = { timeInForce: "GTC", transactTime: 1, reduceOnly: true } as const;
    const known = {
      ...order({ type: "STOP_MARKET", stopPrice: "95" }),
      ...filled,
      ...more,
    } as ManagedOrderReply;
    expect(knownOf(known).filter(([name]) => name !== "Placed")).toEqual([
      ["Order", "Sell 1 BTC/USD, Stop"],
      ["Condition", "sells when bid ≤ 95.00"],
      ["Filled", "0.5 at 94.50 on average"],
      ["Valid", "GTC"],
      ["Only reduces", "yes"],
      ["Order id", "-7"],
    ]);
  });

  it("the executed share is computed exactly, also of large quantities", () => {
    expect([
      shareOf("0", "1"),
      shareOf("0.333333", "1"),
      shareOf("999999999999.999999", "999999999999.999999"),
      shareOf("1", "0"),
    ]).toEqual([0, 33.33, 100, 0]);
  });
});

describe("the life of an order", () => {
  const records: readonly ShownRecord[] = [
    {
      ...{ sequence: 2, timeMs: 1, cause: { kind: "PLACE" } },
      changes: [{ orderId: -1, facts: [{ kind: "ACCEPTED" }] }],
    },
    {
      ...{ sequence: 4, timeMs: 2, cause: { kind: "QUOTE", quote: { bid: "94", ask: "95" } } },
      changes: [
        { orderId: -2, facts: [{ kind: "RELEASED" }] },
        {
          orderId: -1,
          facts: [
            { kind: "TRIGGERED", trigger: { level: "95", observed: "94" } },
            { kind: "CHILD_INTENDED", child: { childId: "c-1", quantity: "0.5", limitPrice: "90" } },
          ],
        },
      ],
    },
    {
      ...{ sequence: 5, timeMs: 3, cause: { kind: "VENUE", source: "LOOKUP" } },
      changes: [
        {
          orderId: -1,
          facts: [
            { kind: "FILLED", fill: { quantity: "0.5", price: "94" } },
            { kind: "CHILD_CLOSED", childId: "c-1", outcome: "DONE" },
            { kind: "ENDED", status: "CANCELED", reason: "OCO_TRIGGER" },
            { kind: "LATER_INVENTED" },
          ],
        },
      ],
    },
  ];

  it("has the facts of this order in their order, with their cause", () => {
    expect(lifeOf(records, "-1").map(({ text, why }) => `${text} | ${why}`)).toEqual([
      "Accepted | your request",
      "Triggered: 94.00 reached 95.00 | bid 94.00, ask 95.00",
      "Sent 0.5 to the venue, limit 90.00 | bid 94.00, ask 95.00",
      "Filled 0.5 at 94.00 | the venue, asked again",
      "Done at the venue | the venue, asked again",
      "Canceled: the other order of the pair was first | the venue, asked again",
      "later invented | the venue, asked again",
    ]);
  });

  it("I21: what the venue says of a child tells how often it arrived", () => {
    const child = {
      clientOrderId: "c",
      parentOrderId: -1,
      symbol: "BTC/USD",
      side: "SELL",
      time: 1,
    } as const;
    const filled = {
      ...child,
      quantity: "1",
      price: null,
      executedQty: "1",
      averagePrice: "94",
      submissions: 1,
    };
    expect(childText(filled)).toBe("1 at market: executed 1 at 94.00, arrived once");
    expect(childText({ ...filled, price: "90", executedQty: "0", submissions: 2 })).toBe(
      "1 limit 90.00: nothing executed, arrived 2 times",
    );
  });
});

describe("errors and previews", () => {
  it("a refusal keeps the words of the service: text, code, field and remedy", () => {
    const refusal = { code: -1100, msg: "Illegal characters.", field: "price", remedy: "Send a decimal." };
    expect(errorWords(new RefusedError(refusal, { sent: true }))).toEqual({
      text: "Illegal characters.",
      details: [
        ["code", "-1100"],
        ["field", "price"],
        ["remedy", "Send a decimal."],
      ],
    });
  });

  it("a sandbox that is gone, a wrong secret and the control interface have sentences of their own", () => {
    expect(errorWords(new TransportError("connection")).text).toMatch(/Does it still run/);
    const wrong = new RefusedError({ code: -1022, msg: "Signature is not valid." }, { sent: true });
    expect(errorWords(wrong).details).toContainEqual(["remedy", "Is the secret that of the key?"]);
    expect(errorWords(new ControlError(400, "bid: must be a decimal"))).toEqual({
      text: "bid: must be a decimal",
      details: [],
    });
    expect(errorWords("nothing").text).toBe("Unknown error");
  });

  it("a standby is not said to have an internal error", () => {
    const refusal = { code: -1001, msg: "Internal error; unable to process your request.", status: 503 };
    expect(errorWords(new RefusedError(refusal, { sent: true }))).toEqual({
      text: "The sandbox does not serve now: it is starting, another one is active, or its store does not work.",
      details: [["code", "-1001"]],
    });
  });

  it("a preview shows slots with their share of the largest, or the refusal", () => {
    const base = { symbol: "BTC/USD", side: "SELL", type: "VWAP", quantity: "0.6" } as const;
    const slots = { interval: 1_000, intervalCount: 3, volumeProfile: "1,2,3" };
    const quote = { bid: "60000", ask: "60001" };
    const good = previewWords(previewOrder({ ...base, ...slots }, { nowMs: 0, quote }));
    expect(good.slots.map(({ quantity, share }) => [quantity, share])).toEqual([
      ["0.1", 33],
      ["0.2", 66],
      ["0.3", 100],
    ]);
    const bad = previewWords(previewOrder({ ...base, ...slots, quantity: "0.000001" }, { nowMs: 0, quote }));
    expect([bad.slots, bad.refusal?.details[0]?.[0]]).toEqual([[], "code"]);
  });

  it("the state of the connection says what was missed", () => {
    const synced = (missed: number | undefined, isAgain: boolean): string =>
      syncText({ state: "synced", missed }, isAgain);
    expect([synced(undefined, false), synced(0, true)]).toEqual(["Live", "Live"]);
    expect(synced(1, true)).toBe("Live again: 1 event was missed, so all orders were read again");
    expect(synced(undefined, true)).toBe("Live again: all orders were read again");
  });
});

describe("the control interface of the page", () => {
  it("sends JSON, and throws the sentence of a refusal", async () => {
    const sent: unknown[] = [];
    const control = controlAt("http://127.0.0.1:8081/control", async (url, init) => {
      sent.push([init.method, url, init.body ?? null]);
      return url.endsWith("faults")
        ? new Response('{"error":"mode: unknown"}', { status: 400 })
        : new Response('{"equal":true}');
    });
    expect(await control.verify()).toEqual({ equal: true });
    await expect(control.post("faults", { venue: 1 })).rejects.toThrow("mode: unknown");
    expect(sent).toEqual([
      ["GET", "http://127.0.0.1:8081/control/verify", null],
      ["POST", "http://127.0.0.1:8081/control/faults", '{"venue":1}'],
    ]);
  });

  it("says in words that it does not answer", async () => {
    const control = controlAt("http://127.0.0.1:8081/control", () =>
      Promise.reject(new TypeError("Failed to fetch")),
    );
    const error = await control.verify().catch(errorWords);
    expect(error).toMatchObject({ text: expect.stringContaining("The control interface does not answer.") });
  });

  it("every fault of the venue is one that it accepts", () => {
    for (const { body } of Object.values(FAULTS))
      if ("venue" in body) expect(() => readVenueFault(body.venue)).not.toThrow();
    expect([faultOf("hold"), faultOf("constructor")]).toEqual(["hold", "none"]);
  });
});
