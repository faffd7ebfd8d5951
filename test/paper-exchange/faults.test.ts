import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import { readVenueEvent } from "../../src/sandbox/venue-desk.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  isAnswered,
  openFundedWorld,
  quoteOf,
  START_MS,
} from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;

describe("faults of a submit", () => {
  it("reject: refused, not for good, nothing executed", async () => {
    const { venue } = await openFundedWorld();
    faulty(venue, { mode: "reject" });
    const report = await venue.submit(childOf(), { deadlineMs });
    expect(report).toMatchObject({ state: "rejected", fills: [] });
    expect(report.final).toBeUndefined();
    expect(venue.children()).toMatchObject([{ submissions: 1, executedQty: "0" }]);
  });

  it("timeout-before: it never arrives and is never answered", async () => {
    const { venue, clock } = await openFundedWorld();
    faulty(venue, { mode: "timeout-before" });
    const child = childOf();
    const answer = venue.submit(child, { deadlineMs });
    await clock.advanceTo(deadlineMs + 60_000);
    expect(await isAnswered(venue, answer)).toBe(false);
    expect(await venue.lookup(child)).toEqual({ notFoundAtMs: expect.any(Number) });
    expect(venue.children()).toEqual([]);
  });

  it("timeout-after: it executes and is never answered, a look-up finds it", async () => {
    const { venue, clock, prints } = await openFundedWorld();
    faulty(venue, { mode: "timeout-after" });
    const child = childOf();
    const answer = venue.submit(child, { deadlineMs });
    await clock.advanceTo(deadlineMs + 60_000);
    expect(await isAnswered(venue, answer)).toBe(false);
    expect(prints).toHaveLength(1);
    expect(await venue.lookup(child)).toMatchObject({
      state: "closed",
      fills: [{ quantity: quantity("1") }],
    });
  });

  it("a look-up repeats the prints of its child, under the same ids", async () => {
    const { venue, prints } = await openFundedWorld();
    const child = childOf();
    const { fills } = await venue.submit(child, { deadlineMs });
    await venue.lookup(child);
    expect(prints.map(({ id }) => id)).toEqual([fills[0]?.executionId, fills[0]?.executionId]);
  });

  it("partial: the fraction of the fill, rounded down to six decimals", async () => {
    const { venue } = await openFundedWorld();
    const executed = async (
      fraction: unknown,
      size: string,
      timeInForce: "IOC" | "FOK" = "IOC",
    ): Promise<unknown> => {
      faulty(venue, { mode: "partial", ...(fraction === undefined ? {} : { fraction }) });
      const child = childOf({ quantity: size, timeInForce });
      await venue.submit(child, { deadlineMs });
      return venue.children().at(-1)?.executedQty;
    };
    expect(await executed(undefined, "1")).toBe("0.5");
    expect(await executed(0.3, "0.000011")).toBe("0.000003");
    expect(await executed("0.29", "1")).toBe("0.29");
    expect(await executed(0.3333333333333333, "3")).toBe("0.999999");
    expect(await executed(0, "1")).toBe("0");
    expect(await executed(1, "1")).toBe("1");
    expect(await executed(0.5, "1", "FOK")).toBe("0");
    venue.quote(quoteOf({ bids: ["100"], asks: ["101x0.4", "102x0.4"] }));
    expect(await executed(0.75, "5")).toBe("0.6");
    expect(venue.children().at(-1)?.averagePrice).toBe("101.33333333");
  });

  it("delay: it executes on arrival and is answered later, on the clock", async () => {
    const { venue, clock } = await openFundedWorld();
    faulty(venue, { mode: "delay", delayMs: 30_000 });
    const child = childOf();
    const answer = venue.submit(child, { deadlineMs });
    await clock.advanceTo(START_MS + 29_999);
    expect(await isAnswered(venue, answer)).toBe(false);
    expect(venue.children()).toMatchObject([{ executedQty: "1" }]);
    await clock.advanceTo(START_MS + 30_000);
    expect(await answer).toMatchObject({ state: "closed", fills: [{ timeMs: START_MS }] });
  });

  it("hold: in flight and not reported until it is released, however late", async () => {
    const { venue, clock, events, prints } = await openFundedWorld();
    faulty(venue, { mode: "hold" });
    const child = childOf();
    expect(await venue.submit(child, { deadlineMs })).toEqual({
      childId: child.childId,
      state: "open",
      fills: [],
    });
    await clock.advanceTo(deadlineMs + 60_000);
    expect(await venue.lookup(child)).toMatchObject({ state: "open", fills: [] });
    expect(venue.children()).toMatchObject([{ executedQty: "0", averagePrice: "0" }]);
    expect([venue.balances(1).BTC, events, prints]).toEqual(["10", [], []]);
    expect(await venue.release()).toBe(1);
    expect(events).toMatchObject([
      { report: { childId: child.childId, state: "closed", fills: [{ timeMs: START_MS }] } },
    ]);
    expect(prints).toHaveLength(1);
    expect(venue.balances(1)).toEqual({ USD: "999899", BTC: "11" });
    expect(await venue.release()).toBe(0);
  });

  it("hold: one child can be released alone; one that is not held is an error", async () => {
    const { venue, events } = await openFundedWorld();
    faulty(venue, { mode: "hold" });
    const [first, second] = [childOf(), childOf()];
    await venue.submit(first, { deadlineMs });
    await venue.submit(second, { deadlineMs });
    expect(await venue.release(second.childId)).toBe(1);
    expect(events.map(({ report }) => report.childId)).toEqual([second.childId]);
    await expect(venue.release(second.childId)).rejects.toThrow(
      `child: the venue does not hold a child ${second.childId}`,
    );
    expect(await venue.lookup(first)).toMatchObject({ state: "open" });
  });

  it("hold: the cost of a held child is not available to another", async () => {
    const { venue } = await openFundedWorld();
    faulty(venue, { mode: "hold" });
    await venue.submit(childOf({ side: "SELL", quantity: "6" }), { deadlineMs });
    faulty(venue, { mode: "none" });
    expect((await venue.submit(childOf({ side: "SELL", quantity: "4.000001" }), { deadlineMs })).state).toBe(
      "rejected",
    );
    expect((await venue.submit(childOf({ side: "SELL", quantity: "4" }), { deadlineMs })).state).toBe(
      "closed",
    );
    await venue.release();
    expect(venue.balances(1).BTC).toBe("0");
  });
});

describe("faults of a lookup", () => {
  it("not-found, fail and delay hide existing children; none shows them again", async () => {
    const { venue, clock } = await openFundedWorld();
    const child = childOf();
    const report = await venue.submit(child, { deadlineMs });
    faulty(venue, { lookup: "not-found" });
    expect(await venue.lookup(child)).toEqual({ notFoundAtMs: expect.any(Number) });
    faulty(venue, { lookup: "fail" });
    await expect(venue.lookup(child)).rejects.toThrow("could not look");
    faulty(venue, { lookup: "delay", delayMs: 500 });
    const answer = venue.lookup(child);
    expect(await isAnswered(venue, answer)).toBe(false);
    await clock.advanceBy(500);
    expect(await answer).toEqual(report);
    faulty(venue, { mode: "none" });
    expect(await venue.lookup(child)).toEqual(report);
  });
});

describe("the scope of a fault", () => {
  it("only the symbol and the account that it names", async () => {
    const { venue } = await openFundedWorld();
    await venue.setBalances(2, { USD: "1000000" });
    venue.quote(quoteOf({ symbol: "ETH/USD", bids: ["10"], asks: ["11"] }));
    faulty(venue, { mode: "reject", symbol: "ETH/USD", accountId: 2 });
    const stateOf = async (accountId: number, symbol: string): Promise<string> =>
      (await venue.submit(childOf({ accountId, symbol }), { deadlineMs })).state;
    expect(await stateOf(2, "ETH/USD")).toBe("rejected");
    expect([await stateOf(1, "ETH/USD"), await stateOf(2, "BTC/USD")]).toEqual(["closed", "closed"]);
  });

  it("the first `count` children, then none; including their look-ups", async () => {
    const { venue } = await openFundedWorld();
    faulty(venue, { mode: "reject", lookup: "not-found", count: 2 });
    const children = [childOf(), childOf(), childOf()];
    const states: string[] = [];
    for (const child of children) states.push((await venue.submit(child, { deadlineMs })).state);
    expect(states).toEqual(["rejected", "rejected", "closed"]);
    const answers = await Promise.all(children.map((child) => venue.lookup(child)));
    expect(answers.map((answer) => typeof answer === "object" && "notFoundAtMs" in answer)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("a new fault ends the previous one", async () => {
    const { venue } = await openFundedWorld();
    faulty(venue, { mode: "reject" });
    faulty(venue, { mode: "none" });
    expect((await venue.submit(childOf(), { deadlineMs })).state).toBe("closed");
  });
});

describe("injected reports of the venue", () => {
  it("hostile 96: go out exactly as they are, and the venue's own record stays", async () => {
    const { venue, events } = await openFundedWorld();
    const before = venue.balances(1);
    const answer = {
      child: "aqc-nobody",
      executionId: "x1",
      quantity: "-5",
      price: "0",
      status: "FILLED",
      time: 1,
    };
    venue.publish(readVenueEvent(answer, START_MS));
    venue.publish(
      readVenueEvent({ child: "aqc-nobody", executionId: "x1", quantity: "0.5", price: "101" }, START_MS),
    );
    expect(events.map(({ report }) => report)).toEqual([
      {
        childId: "aqc-nobody",
        state: "closed",
        fills: [{ executionId: "x1", quantity: -5_000_000, price: 0, timeMs: 1 }],
      },
      {
        childId: "aqc-nobody",
        state: "open",
        fills: [{ executionId: "x1", quantity: 500_000, price: 10_100_000_000, timeMs: START_MS }],
      },
    ]);
    expect([venue.children(), venue.balances(1)]).toEqual([[], before]);
  });

  it("are not delivered after unsubscribing", async () => {
    const { venue } = await openFundedWorld();
    const received: unknown[] = [];
    const stop = venue.subscribe((event) => received.push(event));
    stop();
    venue.publish(readVenueEvent({ child: "c", executionId: "x", quantity: "1", price: "1" }, START_MS));
    expect(received).toEqual([]);
  });
});
