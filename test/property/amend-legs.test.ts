import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { Fact, JournalRecord, LegRole, OrderList, ParentIntent } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO, OTOCO } from "../support/list-samples.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";

/** What happens to a list: a price is a whole number of USD, and a size tenths of a quantity. */
type Act =
  | Readonly<{ kind: "quote"; bid: number }>
  | Readonly<{
      kind: "amend";
      leg: number;
      level: number | undefined;
      size: number | undefined;
      during: readonly number[];
      fault: "slow" | "fail" | "unknown";
    }>
  | Readonly<{ kind: "crash" }>
  | Readonly<{ kind: "pass" }>;

const bid = fc.integer({ min: 70, max: 130 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("quote" as const), bid }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("amend" as const),
      leg: fc.nat(2),
      level: fc.option(fc.integer({ min: 70, max: 130 }), { nil: undefined }),
      size: fc.option(fc.integer({ min: 3, max: 40 }), { nil: undefined }),
      during: fc.array(bid, { maxLength: 3 }),
      fault: fc.constantFrom("slow", "fail", "unknown"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const) }) },
);

/** A leg as its facts alone make it: another computation than that of the engine. All quantities here are whole steps. */
type Leg = {
  readonly role: LegRole | undefined;
  quantity: number;
  level: number;
  executed: number;
  held: boolean;
  won: boolean;
  ended: boolean;
};

const whole = (value: unknown): number => Number(value);

const levelIn = ({ stopPrice, price }: Partial<ParentIntent>): number | undefined =>
  (stopPrice ?? price) && whole(stopPrice ?? price);

function applyFact(leg: Leg, fact: Fact, problems: string[]): void {
  if (fact.kind === "AMENDED") {
    leg.quantity = whole(fact.after.quantity ?? leg.quantity);
    leg.level = levelIn(fact.after) ?? leg.level;
  } else if (fact.kind === "RELEASED") leg.held = false;
  else if (fact.kind === "TRIGGERED") leg.won = true;
  else if (fact.kind === "CHILD_INTENDED") {
    leg.won = true;
    if (leg.held) problems.push("a held leg was sent");
    if (leg.executed + whole(fact.child.quantity) > leg.quantity)
      problems.push("sent more than its quantity");
  } else if (fact.kind === "FILLED") leg.executed += whole(fact.fill.quantity);
  else if (fact.kind === "ENDED") leg.ended = true;
}

function applyRecord(legs: Map<number, Leg>, { changes }: JournalRecord, problems: string[]): void {
  for (const { orderId, facts } of changes)
    for (const fact of facts) {
      const leg = legs.get(orderId);
      if (leg !== undefined) applyFact(leg, fact, problems);
      else if (fact.kind === "ACCEPTED")
        legs.set(orderId, {
          ...{ role: fact.list?.role, quantity: whole(fact.intent.quantity), held: fact.held === true },
          ...{ level: levelIn(fact.intent) ?? 0, executed: 0, won: false, ended: false },
        });
    }
  const [entry] = [...legs.values()].filter(({ role }) => role === "working");
  const pair = [...legs.values()].filter(({ role }) => role !== "working");
  if (
    entry !== undefined &&
    entry.executed < entry.quantity &&
    pair.some(({ held, ended }) => !held && !ended)
  )
    problems.push("released before the whole entry");
  const [stop, limit] = pair;
  if (pair.filter(({ won }) => won).length > 1) problems.push("two legs of a pair have won");
  if (stop === undefined || limit === undefined || stop.ended || limit.ended) return;
  if (stop.quantity !== limit.quantity) problems.push("the legs of a pair have two quantities");
  if (stop.level >= limit.level) problems.push("the levels of a pair cross");
}

/** Compares a list with its records, and with the bid that stands. */
function check(list: OrderList, records: readonly JournalRecord[], last: number): void {
  const problems: string[] = [];
  const legs = new Map<number, Leg>();
  for (const record of records) applyRecord(legs, record, problems);
  expect(problems).toEqual([]);
  for (const { orderId, intent, executedQuantity, ended, held, child, trigger } of list.legs) {
    const leg = legs.get(orderId);
    expect([
      whole(intent.quantity),
      levelIn(intent),
      whole(executedQuantity),
      ended !== undefined,
      held === true,
    ]).toEqual(leg && [leg.quantity, leg.level, leg.executed, leg.ended, leg.held]);
    if (leg === undefined || leg.ended || leg.held || child !== undefined || trigger !== undefined) continue;
    // The price that stands has not passed the durable level of a leg that waits for it.
    const price = last * 1e8;
    if (leg.role === "protective") expect(price).toBeGreaterThan(leg.level);
    if (leg.role === "profit") expect(price).toBeLessThan(leg.level);
  }
}

const failureOf = (fault: "slow" | "fail" | "unknown") => (fault === "slow" ? "none" : fault);

async function live(form: "oco" | "otoco", acts: readonly Act[]): Promise<void> {
  const { world, store } = await createFaultyWorld();
  world.venue.onSubmit = ({ childId, quantity: size, limitPrice = 10_000_000_000 }) =>
    reported(childId, "closed", [fillOf({ quantity: size as never, price: `${whole(limitPrice) / 1e8}` })]);
  let last = 100;
  const observe = (price: number): void => {
    last = price;
    world.engine.market.quote({ symbol: "BTC/USD", bid: `${price}`, ask: `${price + 5}` });
  };
  await world.quote("100", "105");
  const placed = form === "oco" ? await world.placeList("oco", OCO) : await world.placeList("otoco", OTOCO);
  await world.engine.idle();
  const amend = async ({ leg, level, size, during, fault }: Extract<Act, { kind: "amend" }>) => {
    const { orderId, accountId, intent } = placed.legs[leg % placed.legs.length] ?? placed.legs[0] ?? {};
    if (orderId === undefined || accountId === undefined) return;
    const name = intent?.stopPrice === undefined ? "price" : "stopPrice";
    const changes: AmendName["changes"] = {
      ...(level !== undefined && { [name]: `${level}` }),
      ...((size !== undefined || level === undefined) && { quantity: `${(size ?? 10) / 10}` }),
    };
    const isSeen = during.length > 0;
    store().inject(isSeen ? "slow" : fault, 1);
    const amending = world.engine.amend({ accountId, orderId, changes }).catch(() => undefined);
    await turns(20);
    for (const price of during) {
      observe(price);
      await turns(2);
    }
    store().inject(isSeen ? failureOf(fault) : "none", 1);
    store().release();
    await amending;
  };
  for (const one of acts) {
    if (one.kind === "quote") observe(one.bid);
    else if (one.kind === "crash") {
      await world.crash();
      observe(last);
    } else if (one.kind === "pass") await world.pass(6_000);
    else await amend(one);
    await world.engine.idle();
    store().inject("none");
    await world.pass(1_100);
    observe(last);
    await world.engine.idle();
    const list = await world.list(placed);
    check(list, (await world.engine.listStory(placed.listId)) ?? [], last);
    if (list.legs.every(({ ended }) => ended !== undefined)) break;
  }
  expect((await world.engine.verify()).equal).toBe(true);
  expect(world.alerts.map(({ alert }) => alert).filter((alert) => alert !== "CLOCK_STEPPED")).toEqual([]);
}

describe("a list whose legs are amended at any time", () => {
  it.each(["oco", "otoco"] as const)(
    "%s: a pair has one quantity, levels that do not cross and one winner, and exits are released for the whole entry",
    async (form) => {
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 10 }), (acts) => live(form, acts)),
        { numRuns: 15 },
      );
    },
  );
});
