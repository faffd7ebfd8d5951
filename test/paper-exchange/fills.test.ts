import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity, price, quantity } from "../../src/decimal/index.ts";
import type { ChildReport } from "../../src/ports/index.ts";
import {
  childOf,
  DEADLINE_MS,
  openFundedWorld,
  openVenueWorld,
  quoteOf,
  START_MS,
} from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;

const fillsOf = (report: ChildReport): readonly string[] =>
  report.fills.map((fill) => `${formatQuantity(fill.quantity)} at ${formatPrice(fill.price)}`);

describe("fills against the quote", () => {
  it("a BUY takes asks and a SELL bids, at the price of the level", async () => {
    const { venue } = await openFundedWorld();
    const bought = await venue.submit(childOf({ side: "BUY", limitPrice: "105" }), { deadlineMs });
    const sold = await venue.submit(childOf({ side: "SELL", limitPrice: "95" }), { deadlineMs });
    expect([fillsOf(bought), fillsOf(sold)]).toEqual([["1 at 101"], ["1 at 100"]]);
    expect(bought).toMatchObject({ state: "closed" });
  });

  it("IOC takes the available size inside the limit, level by level, each a separate execution", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100x1"], asks: ["101x0.5", "102x0.25", "103x4"] }));
    const report = await venue.submit(childOf({ quantity: "2", limitPrice: "102" }), { deadlineMs });
    expect(fillsOf(report)).toEqual(["0.5 at 101", "0.25 at 102"]);
    expect(new Set(report.fills.map((fill) => fill.executionId)).size).toBe(2);
  });

  it("FOK takes all or nothing", async () => {
    const { venue } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100"], asks: ["101x0.5", "102x0.5"] }));
    const short = await venue.submit(childOf({ timeInForce: "FOK", quantity: "1.000001" }), { deadlineMs });
    const whole = await venue.submit(childOf({ timeInForce: "FOK", quantity: "1" }), { deadlineMs });
    expect([short.state, fillsOf(short)]).toEqual(["closed", []]);
    expect(fillsOf(whole)).toEqual(["0.5 at 101", "0.5 at 102"]);
  });

  it("a used size is unavailable until the next quote", async () => {
    const { venue } = await openFundedWorld();
    const quote = quoteOf({ bids: ["100"], asks: ["101x1"] });
    venue.quote(quote);
    const first = await venue.submit(childOf({ quantity: "0.75" }), { deadlineMs });
    const second = await venue.submit(childOf({ quantity: "0.75" }), { deadlineMs });
    const third = await venue.submit(childOf({ quantity: "0.75" }), { deadlineMs });
    venue.quote(quote);
    const fourth = await venue.submit(childOf({ quantity: "0.75" }), { deadlineMs });
    expect([first, second, third, fourth].map(fillsOf)).toEqual([
      ["0.75 at 101"],
      ["0.25 at 101"],
      [],
      ["0.75 at 101"],
    ]);
  });

  it("a missing size is unlimited", async () => {
    const { venue } = await openFundedWorld();
    for (let turn = 0; turn < 3; turn++) {
      expect(fillsOf(await venue.submit(childOf({ quantity: "1000" }), { deadlineMs }))).toEqual([
        "1000 at 101",
      ]);
    }
  });

  it("without a quote, or outside the limit, a child closes without a fill", async () => {
    const { venue } = await openFundedWorld();
    const reports = [
      await venue.submit(childOf({ symbol: "ETH/USD" }), { deadlineMs }),
      await venue.submit(childOf({ limitPrice: "100.99999999" }), { deadlineMs }),
      await venue.submit(childOf({ side: "SELL", limitPrice: "100.00000001" }), { deadlineMs }),
    ];
    expect(reports.map(({ state, fills }) => [state, fills])).toEqual([
      ["closed", []],
      ["closed", []],
      ["closed", []],
    ]);
  });

  it("a limit at the price of the level is inside", async () => {
    const { venue } = await openFundedWorld();
    expect(fillsOf(await venue.submit(childOf({ limitPrice: "101" }), { deadlineMs }))).toEqual(["1 at 101"]);
  });

  it("an instrument that is not listed is refused for good", async () => {
    const { venue } = await openFundedWorld();
    const report = await venue.submit(childOf({ symbol: "DOGE/USD" }), { deadlineMs });
    expect(report).toMatchObject({ state: "rejected", final: true, fills: [] });
  });
});

describe("deadlines", () => {
  it("a submit that arrives at its deadline executes, one that arrives later is refused and recorded", async () => {
    const { venue, clock } = await openFundedWorld();
    await clock.advanceTo(deadlineMs);
    expect((await venue.submit(childOf(), { deadlineMs })).fills).toHaveLength(1);
    await clock.advanceTo(deadlineMs + 1);
    const late = childOf({ parentOrderId: -512 });
    const report = await venue.submit(late, { deadlineMs });
    expect(report).toMatchObject({ state: "rejected", fills: [] });
    expect(report.final).toBeUndefined();
    expect(venue.children(-512)).toMatchObject([
      { clientOrderId: late.childId, submissions: 1, executedQty: "0" },
    ]);
  });

  it("a refused late child never executes, even if it is sent again", async () => {
    const { venue, clock } = await openFundedWorld();
    await clock.advanceTo(deadlineMs + 1);
    const late = childOf();
    await venue.submit(late, { deadlineMs });
    const again = await venue.submit(late, { deadlineMs: deadlineMs + 10_000 });
    expect(again).toMatchObject({ state: "rejected", fills: [] });
    expect(venue.children()[0]).toMatchObject({ submissions: 2, executedQty: "0" });
  });
});

describe("balances", () => {
  it("fills change them exactly, far below a cent and far above a double", async () => {
    const { venue } = await openVenueWorld();
    await venue.setBalances(1, { USD: "12345678901234567890", BTC: "0.000001" });
    venue.quote(quoteOf({ bids: ["0.00000001"], asks: ["9999999999.99999999"] }));
    await venue.submit(childOf({ side: "SELL", quantity: "0.000001" }), { deadlineMs });
    expect(venue.balances(1)).toEqual({ USD: "12345678901234567890.00000000000001", BTC: "0" });
    await venue.submit(childOf({ quantity: "1000000.000001" }), { deadlineMs });
    expect(venue.balances(1)).toEqual({ USD: "12335678901234557890.01000000000002", BTC: "1000000.000001" });
  });

  it("a child beyond the balance is refused, not for good, and takes nothing", async () => {
    const { venue } = await openFundedWorld();
    const tooMuch = await venue.submit(childOf({ side: "SELL", quantity: "10.000001" }), { deadlineMs });
    expect(tooMuch).toEqual({
      childId: tooMuch.childId,
      state: "rejected",
      fills: [],
      mark: "INSUFFICIENT_FUNDS",
      detail: "Account has insufficient balance for requested action.",
    });
    expect(
      (await venue.submit(childOf({ side: "SELL", quantity: "10" }), { deadlineMs })).fills,
    ).toHaveLength(1);
    expect(venue.balances(1)).toEqual({ USD: "1001000", BTC: "0" });
    const poor = await venue.submit(childOf({ accountId: 7 }), { deadlineMs });
    expect(poor.state).toBe("rejected");
  });

  it("exposure is the base balance, zero for unknown accounts", async () => {
    const { venue } = await openFundedWorld();
    await venue.submit(childOf({ quantity: "0.5" }), { deadlineMs });
    expect(venue.position(1, "BTC/USD")).toBe(quantity("10.5"));
    expect([venue.position(1, "ETH/USD"), venue.position(2, "BTC/USD"), venue.position(1, "X/USD")]).toEqual([
      0, 0, 0,
    ]);
  });

  it("setting them replaces all; an invalid amount is refused", async () => {
    const { venue } = await openFundedWorld();
    await venue.setBalances(1, { ETH: "2.5" });
    expect(venue.balances(1)).toEqual({ ETH: "2.5" });
    expect([venue.hasAccount(1), venue.hasAccount(2), venue.balances(2)]).toEqual([true, false, {}]);
    await expect(venue.setBalances(1, { ETH: "0.0000001" })).rejects.toThrow("balances.ETH");
    await expect(venue.setBalances(1, { ETH: "-1" })).rejects.toThrow("balances.ETH");
    expect(venue.balances(1)).toEqual({ ETH: "2.5" });
  });
});

describe("the record", () => {
  it("shows each child as it was sent and its result", async () => {
    const { venue, clock } = await openFundedWorld();
    venue.quote(quoteOf({ bids: ["100"], asks: ["101x1", "102x2"] }));
    await clock.advanceTo(START_MS + 5);
    const child = childOf({ quantity: "3", limitPrice: "102.50", parentOrderId: -768, timeInForce: "FOK" });
    await venue.submit(child, { deadlineMs });
    await venue.submit(childOf({ side: "SELL" }), { deadlineMs });
    expect(venue.children(-768)).toEqual([
      {
        clientOrderId: child.childId,
        parentOrderId: -768,
        symbol: "BTC/USD",
        side: "BUY",
        quantity: "3",
        price: "102.5",
        timeInForce: "FOK",
        executedQty: "3",
        averagePrice: "101.66666667",
        submissions: 1,
        time: START_MS + 5,
      },
    ]);
    expect(venue.children().map((row) => [row.side, row.price])).toEqual([
      ["BUY", "102.5"],
      ["SELL", null],
    ]);
  });

  it("counts every arrival of an id and executes only the first, also for simultaneous arrivals", async () => {
    const { venue } = await openFundedWorld();
    const child = childOf();
    const reports = await Promise.all([1, 2, 3].map(() => venue.submit(child, { deadlineMs })));
    const later = await venue.submit({ ...child, quantity: quantity("5") }, { deadlineMs });
    expect(reports.concat(later).every((report) => JSON.stringify(report) === JSON.stringify(later))).toBe(
      true,
    );
    expect(venue.children()).toMatchObject([{ submissions: 4, quantity: "1", executedQty: "1" }]);
    expect(venue.position(1, "BTC/USD")).toBe(quantity("11"));
  });

  it("every fill becomes one print with its execution id", async () => {
    const { venue, prints } = await openFundedWorld();
    const report = await venue.submit(childOf({ quantity: "0.25" }), { deadlineMs });
    expect(prints).toEqual([
      {
        symbol: "BTC/USD",
        price: "101",
        quantity: "0.25",
        id: report.fills[0]?.executionId,
        timeMs: START_MS,
      },
    ]);
  });

  it("finds known children and answers not-found for the rest", async () => {
    const { venue } = await openFundedWorld();
    const child = childOf();
    expect(await venue.lookup(child)).toEqual({ notFoundAtMs: expect.any(Number) });
    const report = await venue.submit(child, { deadlineMs });
    expect(await venue.lookup(child)).toEqual(report);
    expect(report.fills[0]).toMatchObject({ price: price("101"), timeMs: START_MS });
  });
});
