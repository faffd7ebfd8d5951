import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lineOf, nativeOf, refusalOf } from "../../src/conformance/native-orders/world.ts";
import { notional, price, quantity } from "../../src/decimal/index.ts";
import type { CancelRestriction, NativeOrder } from "../../src/model/index.ts";
import type { NativePlacement } from "../../src/ports/index.ts";
import { withNativeFaults } from "../../src/sandbox/faults.ts";
import type { PaperVenue } from "../../src/simulator/index.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openFundedWorld,
  openVenueWorld,
  quoteOf,
  START_MS,
  temporaryDirectory,
} from "./venue-world.ts";

const BTC = { accountId: 1, symbol: "BTC/USD" };
const deadlineMs = DEADLINE_MS;

let markets = 0;

/** A market order of account 1 by quantity. */
function marketOf(side: "BUY" | "SELL", size: string): NativePlacement {
  return { ...marketTerms(side), quantity: quantity(size) };
}

/** A market order of account 1 by an amount of USD. */
function amountOf(side: "BUY" | "SELL", amount: string): NativePlacement {
  return { ...marketTerms(side), quoteQuantity: notional(amount) };
}

function marketTerms(side: "BUY" | "SELL"): Omit<NativePlacement & { type: "MARKET" }, "quantity"> {
  const { accountId, symbol, requestKey } = nativeOf();
  return { accountId, symbol, requestKey, side, type: "MARKET", clientOrderId: `market-${++markets}` };
}

const place = async (venue: PaperVenue, placement: NativePlacement): Promise<NativeOrder> =>
  (await venue.native.place(placement)).order;
const at = (venue: PaperVenue, placement: NativePlacement): Promise<string> =>
  place(venue, placement).then((order) => `${lineOf(order)} ${order.reason ?? ""}`.trim());
const refused = (venue: PaperVenue, placement: NativePlacement): Promise<string> =>
  refusalOf(venue.native.place(placement));
const again = async (venue: PaperVenue, { orderId }: NativeOrder): Promise<string> => {
  await venue.idle();
  const order = await venue.native.find({ ...BTC, orderId });
  return order === undefined ? "nothing" : lineOf(order);
};

describe("convention 3.3: a cancel under a condition", () => {
  it("a partly filled order is canceled by ONLY_PARTIALLY_FILLED alone", async () => {
    const { venue } = await openFundedWorld();
    const { orderId } = await place(venue, nativeOf({ quantity: "1", price: "100" }));
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x0.4"] }));
    await venue.idle();
    const key = { ...BTC, orderId };
    const cancelIf = (restriction: CancelRestriction): Promise<NativeOrder | undefined> =>
      venue.native.cancelIf?.(key, restriction) ?? Promise.reject(new Error("no cancelIf"));
    expect(await refusalOf(cancelIf("ONLY_NEW"))).toBe("CANCEL_RESTRICTED");
    expect((await venue.native.find(key))?.status).toBe("PARTIALLY_FILLED");
    const canceled = await cancelIf("ONLY_PARTIALLY_FILLED");
    expect(canceled && lineOf(canceled)).toBe("CANCELED BUY 0.4/1");
  });
});

describe("ids of native orders", () => {
  it("complaint 39: begin beyond 2^53 and are exact", async () => {
    const { venue } = await openFundedWorld();
    const ids = [await place(venue, nativeOf()), await place(venue, nativeOf())].map(
      ({ orderId }) => orderId,
    );
    expect(ids).toEqual([9_007_199_254_740_993n, 9_007_199_254_741_003n]);
    expect((await venue.native.page({ ...BTC, fromOrderId: 9_007_199_254_741_003n, limit: 5 })).length).toBe(
      1,
    );
  });

  it("children and native orders share them, and a resubmitted child keeps its id", async () => {
    const { venue } = await openFundedWorld();
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    await venue.submit(child, { deadlineMs });
    expect((await place(venue, nativeOf())).orderId).toBe(9_007_199_254_741_003n);
  });
});

describe("a child is a native order of its account", () => {
  const childAt = async (venue: PaperVenue, childId: string): Promise<NativeOrder | undefined> =>
    await venue.native.find({ ...BTC, clientOrderId: childId });

  it("filled, partly filled, unfilled and at market", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100"], asks: ["101x1.5"] }));
    const cases = [
      [childOf({ limitPrice: "102" }), "FILLED BUY 1/1", undefined, "LIMIT"],
      [childOf({ limitPrice: "102" }), "EXPIRED BUY 0.5/1", "UNFILLED_IOC_QUANTITY_EXPIRED", "LIMIT"],
      [childOf({ timeInForce: "FOK" }), "EXPIRED BUY 0/1", "UNFILLED_FOK_ORDER_EXPIRED", "MARKET"],
      [childOf(), "EXPIRED BUY 0/1", "INSUFFICIENT_LIQUIDITY", "MARKET"],
    ] as const;
    for (const [child, line, reason, type] of cases) {
      await venue.submit(child, { deadlineMs });
      const order = await childAt(venue, child.childId);
      expect([order && lineOf(order), order?.reason, order?.type]).toEqual([line, reason, type]);
      expect(order).toMatchObject({ timeInForce: child.timeInForce, isWorking: true });
      expect(order?.price).toBe(child.limitPrice);
    }
  });

  it("refused: REJECTED with the reason and the venue's text", async () => {
    const { venue } = await openFundedWorld();
    const poor = childOf({ quantity: "100000" });
    await venue.submit(poor, { deadlineMs });
    expect(await childAt(venue, poor.childId)).toMatchObject({
      status: "REJECTED",
      rejectReason: "INSUFFICIENT_BALANCES",
      errorMessage: "Account has insufficient balance for requested action.",
      isWorking: false,
    });
    const late = childOf();
    await venue.submit(late, { deadlineMs: START_MS - 1 });
    expect(await childAt(venue, late.childId)).toMatchObject({ status: "REJECTED", rejectReason: "OTHER" });
  });

  it("held: open until it is released, and only then reported as executed", async () => {
    const { venue } = await openFundedWorld();
    const received: string[] = [];
    venue.native.subscribe(({ execType }) => received.push(execType));
    faulty(venue, { mode: "hold" });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    expect((await childAt(venue, child.childId))?.status).toBe("NEW");
    expect(received).toEqual(["NEW"]);
    await venue.release();
    expect((await childAt(venue, child.childId))?.status).toBe("FILLED");
    expect(received).toEqual(["NEW", "TRADE"]);
  });

  it("cannot be canceled as a native order", async () => {
    const { venue } = await openFundedWorld();
    faulty(venue, { mode: "hold" });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    expect(await venue.native.cancel({ ...BTC, clientOrderId: child.childId })).toBeUndefined();
    expect(await venue.native.cancel({ ...BTC, orderId: 9_007_199_254_740_993n })).toBeUndefined();
  });

  it("undecided at a crash: expired for a system failure", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    await venue.close();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    await writeFile(path, `${lines.slice(0, -1).join("\n")}\n`);
    const { venue: restarted } = await openVenueWorld({ path });
    expect(await childAt(restarted, child.childId)).toMatchObject({
      status: "EXPIRED",
      reason: "SYSTEM_FAILURE",
    });
    await restarted.close();
  });
});

describe("a native LIMIT against the quotes", () => {
  it("GTC takes the available size level by level, and rests with the remainder", async () => {
    const { venue, prints } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100"], asks: ["101x0.4", "102x0.4", "104"] }));
    const { order, fills } = await venue.native.place(nativeOf({ price: "103" }));
    expect([lineOf(order), fills.length]).toEqual(["PARTIALLY_FILLED BUY 0.8/1", 2]);
    expect(prints.map((print) => [print.price, print.quantity])).toEqual([
      ["101", "0.4"],
      ["102", "0.4"],
    ]);
    venue.quote(quoteOf({ bids: ["100"], asks: ["103x0.1"] }));
    expect(await again(venue, order)).toBe("PARTIALLY_FILLED BUY 0.9/1");
    venue.quote(quoteOf({ bids: ["100"], asks: ["103.00000001"] }));
    expect(await again(venue, order)).toBe("PARTIALLY_FILLED BUY 0.9/1");
    venue.quote(quoteOf({ bids: ["100"], asks: ["103"] }));
    expect(await again(venue, order)).toBe("FILLED BUY 1/1");
    expect(prints).toHaveLength(4);
    expect(new Set(prints.map(({ id }) => id)).size).toBe(4);
  });

  it("complaint 47: a resting order fills at the price of the quote that reaches it", async () => {
    const { venue, prints } = await openFundedWorld();
    await place(venue, nativeOf({ price: "90" }));
    await place(venue, nativeOf({ side: "SELL", price: "110" }));
    venue.quote(quoteOf({ bids: ["70"], asks: ["75"] }));
    await venue.idle();
    venue.quote(quoteOf({ bids: ["120"], asks: ["125"] }));
    await venue.idle();
    expect(prints.map(({ price: text }) => text)).toEqual(["75", "120"]);
    expect(venue.balances(1)).toEqual({ USD: "1000045", BTC: "10" });
  });

  it("of several resting orders the best price is filled first, then the oldest", async () => {
    const { venue } = await openFundedWorld();
    const low = await place(venue, nativeOf({ price: "90" }));
    const [older, newer] = [
      await place(venue, nativeOf({ price: "95" })),
      await place(venue, nativeOf({ price: "95" })),
    ];
    venue.quote(quoteOf({ bids: ["80"], asks: ["90x1.5"] }));
    expect([await again(venue, older), await again(venue, newer), await again(venue, low)]).toEqual([
      "FILLED BUY 1/1",
      "PARTIALLY_FILLED BUY 0.5/1",
      "NEW BUY 0/1",
    ]);
    const cheap = await place(venue, nativeOf({ side: "SELL", price: "200" }));
    const dear = await place(venue, nativeOf({ side: "SELL", price: "210" }));
    venue.quote(quoteOf({ bids: ["210x1"], asks: ["220"] }));
    expect([await again(venue, cheap), await again(venue, dear)]).toEqual([
      "FILLED SELL 1/1",
      "NEW SELL 0/1",
    ]);
  });

  it("a resting order comes before a child that arrives after the quote", async () => {
    const { venue } = await openFundedWorld();
    const resting = await place(venue, nativeOf({ price: "95" }));
    venue.quote(quoteOf({ bids: ["80"], asks: ["94x1"] }));
    const report = await venue.submit(childOf({ limitPrice: "95" }), { deadlineMs });
    expect([await again(venue, resting), report.fills]).toEqual(["FILLED BUY 1/1", []]);
  });

  it("IOC ends after a partial fill, FOK fills completely or not at all", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100x0.4"], asks: ["101x0.4"] }));
    expect(await at(venue, nativeOf({ timeInForce: "FOK", price: "101" }))).toBe(
      "EXPIRED BUY 0/1 UNFILLED_FOK_ORDER_EXPIRED",
    );
    expect(await at(venue, nativeOf({ timeInForce: "IOC", price: "101" }))).toBe(
      "EXPIRED BUY 0.4/1 UNFILLED_IOC_QUANTITY_EXPIRED",
    );
    expect(
      await at(venue, nativeOf({ timeInForce: "FOK", side: "SELL", quantity: "0.4", price: "100" })),
    ).toBe("FILLED SELL 0.4/0.4");
    venue.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    await venue.idle();
    expect(venue.balances(1).BTC).toBe("10");
  });

  it("rests without any quote", async () => {
    const { venue } = await openVenueWorld();
    await venue.setBalances(1, { USD: "1000" });
    expect(await at(venue, nativeOf())).toBe("NEW BUY 0/1");
  });
});

describe("a native MARKET against the quotes", () => {
  it("by quantity: takes the available size, the rest expires", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100x0.4", "99x0.4"], asks: ["101"] }));
    expect(await at(venue, marketOf("SELL", "1"))).toBe("EXPIRED SELL 0.8/1 INSUFFICIENT_LIQUIDITY");
    expect(await at(venue, marketOf("SELL", "1"))).toBe("EXPIRED SELL 0/1 INSUFFICIENT_LIQUIDITY");
    expect(await at(venue, marketOf("BUY", "1"))).toBe("FILLED BUY 1/1");
    expect(venue.balances(1)).toEqual({ USD: "999978.6", BTC: "10.2" });
  });

  it("by amount: as much as the amount buys or yields, in whole steps", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["3"], asks: ["7x1", "8"] }));
    expect(await at(venue, amountOf("BUY", "10"))).toBe("FILLED BUY 1.375/1.375");
    expect(await at(venue, amountOf("SELL", "10"))).toBe("FILLED SELL 3.333333/3.333333");
    expect(venue.balances(1)).toEqual({ USD: "999999.999999", BTC: "8.041667" });
    venue.quote(quoteOf({ bids: ["3"], asks: ["7x1"] }));
    const short = await place(venue, amountOf("BUY", "10"));
    expect([lineOf(short), short.reason]).toEqual(["EXPIRED BUY 1/1", "INSUFFICIENT_LIQUIDITY"]);
    expect(short.quoteQuantity).toBe(notional("10"));
  });

  it("an amount too small for one step is refused, and one without a quote", async () => {
    const { venue } = await openFundedWorld();
    expect(await refused(venue, amountOf("BUY", "0.00000001"))).toBe("ORDER_REJECTED");
    expect(await refused(venue, { ...marketOf("BUY", "1"), symbol: "ETH/USD" })).toBe("NO_DEPTH");
    venue.quote(quoteOf({ bids: ["100x0.5"], asks: ["101"] }));
    expect(await at(venue, marketOf("SELL", "0.5"))).toBe("FILLED SELL 0.5/0.5");
    expect(await at(venue, amountOf("SELL", "10"))).toBe("EXPIRED SELL 0/0 INSUFFICIENT_LIQUIDITY");
  });

  it("a quantity out of range is refused, so that the record stays readable", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openVenueWorld({ path });
    await venue.setBalances(1, { USD: "1000000", BTC: "99999999999999999" });
    venue.quote(quoteOf({ bids: ["0.00000001"], asks: ["0.00000001"] }));
    for (const side of ["BUY", "SELL"] as const) {
      expect(await refused(venue, amountOf(side, "100000"))).toBe("PARAMETER_OVERFLOW");
    }
    expect(await at(venue, amountOf("BUY", "9999"))).toBe("FILLED BUY 999900000000/999900000000");
    await venue.close();
    await (await openVenueWorld({ path })).venue.close();
  });
});

describe("balances", () => {
  it("a resting order reserves its funds until it fills or ends", async () => {
    const { venue } = await openFundedWorld();
    await venue.setBalances(1, { USD: "100", BTC: "1" });
    const buy = await place(venue, nativeOf({ price: "90" }));
    expect(await refused(venue, nativeOf({ price: "11" }))).toBe("INSUFFICIENT_BALANCE");
    expect((await venue.submit(childOf({ quantity: "0.1" }), { deadlineMs })).state).toBe("rejected");
    expect(await at(venue, nativeOf({ price: "10" }))).toBe("NEW BUY 0/1");
    await venue.native.cancel({ ...BTC, orderId: buy.orderId });
    expect(await at(venue, nativeOf({ price: "90" }))).toBe("NEW BUY 0/1");
    await place(venue, nativeOf({ side: "SELL", price: "200", quantity: "0.7" }));
    expect(await refused(venue, nativeOf({ side: "SELL", price: "200", quantity: "0.300001" }))).toBe(
      "INSUFFICIENT_BALANCE",
    );
    expect(await refused(venue, marketOf("SELL", "0.300001"))).toBe("INSUFFICIENT_BALANCE");
    expect(await at(venue, marketOf("SELL", "0.3"))).toBe("FILLED SELL 0.3/0.3");
  });

  it("after a partial fill it reserves the cost of the rest", async () => {
    const { venue } = await openFundedWorld();
    await venue.setBalances(1, { USD: "100" });
    venue.quote(quoteOf({ bids: ["80"], asks: ["95x0.5"] }));
    await place(venue, nativeOf({ price: "100" }));
    expect(venue.balances(1)).toEqual({ USD: "52.5", BTC: "0.5" });
    expect(await refused(venue, nativeOf({ price: "2.500001" }))).toBe("INSUFFICIENT_BALANCE");
    expect(await at(venue, nativeOf({ price: "2.5" }))).toBe("NEW BUY 0/1");
  });

  it("an order must be affordable at its limit, whatever size is available; an amount in full", async () => {
    const { venue } = await openFundedWorld();
    await venue.setBalances(1, { USD: "100" });
    venue.quote(quoteOf({ bids: ["80"], asks: ["95x0.5"] }));
    expect(await refused(venue, nativeOf({ price: "100.00000001" }))).toBe("INSUFFICIENT_BALANCE");
    expect(await refused(venue, nativeOf({ price: "101", timeInForce: "IOC" }))).toBe("INSUFFICIENT_BALANCE");
    expect(await refused(venue, amountOf("BUY", "100.00000001"))).toBe("INSUFFICIENT_BALANCE");
    expect(await refused(venue, amountOf("SELL", "80"))).toBe("INSUFFICIENT_BALANCE");
    expect(await at(venue, marketOf("BUY", "1"))).toBe("EXPIRED BUY 0.5/1 INSUFFICIENT_LIQUIDITY");
  });

  it("an order whose funds were removed is canceled when the market reaches it, and those behind it continue", async () => {
    const { venue } = await openFundedWorld();
    const first = await place(venue, nativeOf({ price: "95" }));
    await venue.setBalances(2, { USD: "1000" });
    const other = (await venue.native.place(nativeOf({ price: "94", accountId: 2 }))).order;
    await venue.setBalances(1, { USD: "1" });
    venue.quote(quoteOf({ bids: ["80"], asks: ["90"] }));
    expect(await again(venue, first)).toBe("CANCELED BUY 0/1");
    expect((await venue.native.find({ ...BTC, orderId: first.orderId }))?.reason).toBe("EXCHANGE_CANCELED");
    const filled = await venue.native.find({ accountId: 2, symbol: "BTC/USD", orderId: other.orderId });
    expect(filled?.status).toBe("FILLED");
    expect(venue.balances(1)).toEqual({ USD: "1" });
  });
});

describe("a restart", () => {
  it("I16: restores reserved funds, balances and every kind of order exactly", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    await venue.setBalances(1, { USD: "1000", BTC: "1" });
    venue.quote(quoteOf({ bids: ["80.00000001x0.3"], asks: ["95x0.5", "100"] }));
    await place(venue, nativeOf({ price: "95.00000001" }));
    await place(venue, amountOf("BUY", "12.34567891"));
    await place(venue, marketOf("SELL", "0.4"));
    await place(venue, nativeOf({ timeInForce: "FOK", price: "1" }));
    const before = [venue.balances(1), await venue.native.executions({ accountId: 1, limit: 50 })];
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    expect([restarted.balances(1), await restarted.native.executions({ accountId: 1, limit: 50 })]).toEqual(
      before,
    );
    const left = 1_000 - 47.5 - 12.34567891 + 24.000000003 - 47.500000005;
    expect(await refused(restarted, nativeOf({ price: String(Math.ceil(left)) }))).toBe(
      "INSUFFICIENT_BALANCE",
    );
    expect(await at(restarted, nativeOf({ price: String(Math.floor(left)) }))).toBe("NEW BUY 0/1");
    await restarted.close();
  });

  it("I01: a placement exists completely or not at all, wherever the record was cut off", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    const before = await readFile(path);
    const placement = nativeOf({ price: "102" });
    await place(venue, placement);
    await venue.close();
    const after = await readFile(path);
    for (let end = before.length; end <= after.length; end += 7) {
      await writeFile(path, after.subarray(0, end));
      const { venue: restarted } = await openVenueWorld({ path });
      expect(await restarted.native.page({ ...BTC, limit: 5 })).toEqual([]);
      expect(restarted.balances(1).BTC).toBe("10");
      restarted.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
      expect((await restarted.native.place(placement)).created).toBe(true);
      expect(restarted.balances(1).BTC).toBe("11");
      await restarted.close();
    }
    await writeFile(path, after);
    const { venue: whole } = await openVenueWorld({ path });
    expect((await whole.native.place(placement)).created).toBe(false);
    expect(whole.balances(1).BTC).toBe("11");
    await whole.close();
  });

  it("orders are on disk before a read returns them, and before they are reported", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    const onDisk = async (clientOrderId: string): Promise<boolean> =>
      (await readFile(path, "utf8")).includes(`"${clientOrderId}"`);
    const received: Promise<boolean>[] = [];
    venue.native.subscribe(({ order }) => received.push(onDisk(order.clientOrderId)));
    for (const read of [
      (clientOrderId: string) => venue.native.find({ ...BTC, clientOrderId }),
      (clientOrderId: string) => venue.native.page({ ...BTC, clientOrderId, limit: 1 }),
      (clientOrderId: string) => venue.native.executions({ accountId: 1, clientOrderId, limit: 1 }),
      (clientOrderId: string) => venue.native.findRequest({ accountId: 1, requestKey: clientOrderId }),
    ]) {
      const placement = nativeOf();
      const placing = venue.native.place({ ...placement, requestKey: placement.clientOrderId });
      expect(await read(placement.clientOrderId)).toBeTruthy();
      expect(await onDisk(placement.clientOrderId)).toBe(true);
      await placing;
    }
    expect(await Promise.all(received)).toEqual([true, true, true, true]);
    await venue.close();
  });

  it("fills are reported as prints again, those since a time, of native orders only", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue, clock, prints } = await openFundedWorld({ path });
    await place(venue, nativeOf({ price: "102" }));
    await venue.submit(childOf(), { deadlineMs });
    await clock.advanceBy(1_000);
    await place(venue, nativeOf({ price: "102", quantity: "2" }));
    await venue.close();
    const restarted = await openVenueWorld({ path });
    restarted.venue.printAgain(START_MS + 1);
    expect(restarted.prints).toEqual(prints.slice(2));
    restarted.venue.printAgain(START_MS);
    expect(restarted.prints.slice(1)).toEqual([prints[0], prints[2]]);
    await restarted.venue.close();
  });

  it("does not report events before the subscription", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    await place(venue, nativeOf());
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    const received: string[] = [];
    restarted.native.subscribe(({ order }) => received.push(order.clientOrderId));
    await place(restarted, nativeOf({ clientOrderId: "new" }));
    expect(received).toEqual(["new"]);
    await restarted.close();
  });
});

describe("faults of native orders", () => {
  it("fail: nothing is answered and nothing is done; none: normal operation again", async () => {
    const { venue } = await openFundedWorld();
    const { native, setNativeFault } = withNativeFaults(venue.native);
    const { orderId } = (await native.place(nativeOf())).order;
    setNativeFault("fail");
    const placement = nativeOf();
    for (const ask of [
      () => native.place(placement),
      () => native.findRequest(placement),
      () => native.cancel({ ...BTC, orderId }),
      () => native.find({ ...BTC, orderId }),
      () => native.page({ ...BTC, limit: 1 }),
      () => native.executions({ accountId: 1, limit: 1 }),
    ]) {
      await expect(ask()).rejects.toThrow("injected fault");
    }
    setNativeFault("none");
    expect((await native.page({ ...BTC, limit: 5 })).map(({ status }) => status)).toEqual(["NEW"]);
    expect(native.isPaperTrade).toBe(true);
  });
});

describe("prices and quantities", () => {
  it("I16: the widest ones are exact in balances and answers", async () => {
    const { venue } = await openVenueWorld();
    await venue.setBalances(1, { USD: "99999999999999999999" });
    venue.quote(quoteOf({ bids: ["1"], asks: ["9999999999.99999999"] }));
    const { order } = await venue.native.place(
      nativeOf({ price: "9999999999.99999999", quantity: "0.000001" }),
    );
    expect([lineOf(order), order.price]).toEqual([
      "FILLED BUY 0.000001/0.000001",
      price("9999999999.99999999"),
    ]);
    expect(venue.balances(1).USD).toBe("99999999999999989999.00000000000001");
  });
});
