import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { Fact, JournalRecord, ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";

/** What happens to an order: a whole number of USD is a price, and `size` a quantity in tenths. */
type Act =
  | Readonly<{ kind: "quote"; bid: number }>
  | Readonly<{
      kind: "amend";
      level: number;
      size: number;
      during: readonly number[];
      fault: "slow" | "fail" | "unknown";
    }>
  | Readonly<{ kind: "crash" }>
  | Readonly<{ kind: "pass" }>;

const bid = fc.integer({ min: 60, max: 140 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("quote" as const), bid }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("amend" as const),
      level: fc.integer({ min: 1, max: 60 }),
      size: fc.integer({ min: 1, max: 60 }),
      during: fc.array(bid, { maxLength: 4 }),
      fault: fc.constantFrom("slow", "fail", "unknown"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const) }) },
);

const FORMS = {
  stop: {
    order: { type: "STOP_MARKET", stopPrice: "70" },
    field: "stopPrice",
    of: (level: number) => `${60 + level}`,
  },
  trail: {
    order: { type: "TRAILING_STOP_MARKET", trailingAmount: "20" },
    field: "trailingAmount",
    of: String,
  },
  stopLimit: {
    order: { type: "STOP_LOSS_LIMIT", stopPrice: "70", price: "65" },
    field: "price",
    of: (level: number) => `${60 + level}`,
  },
} as const;

/** Price or quantity steps as a number: all values of this test are small. */
const whole = (value: unknown, scale: number): number => Number(value) / 10 ** scale;

/** The order as its facts alone make it: another computation than that of the engine. */
type Known = {
  quantity: number;
  stopPrice: number | undefined;
  trail: number | undefined;
  /** Levels and distances of before the last amend, which act until that is durable. */
  before: Readonly<{ stopPrice: number | undefined; trail: number | undefined }>;
  price: number | undefined;
  executed: number;
  triggered: boolean;
  reference: number | undefined;
};

function apply(known: Known, fact: Fact, problems: string[]): void {
  const take = (terms: ParentOrder["intent"] | Extract<Fact, { kind: "AMENDED" }>["after"]): void => {
    if (terms.quantity !== undefined) known.quantity = whole(terms.quantity, 6);
    if (terms.stopPrice !== undefined) known.stopPrice = whole(terms.stopPrice, 8);
    if (terms.price !== undefined) known.price = whole(terms.price, 8);
    if (terms.trailing?.kind === "amount") known.trail = whole(terms.trailing.amount, 8);
  };
  if (fact.kind === "ACCEPTED") take(fact.intent);
  else if (fact.kind === "AMENDED") {
    known.before = { stopPrice: known.stopPrice, trail: known.trail };
    take(fact.after);
  } else if (fact.kind === "TRIGGERED") {
    known.triggered = true;
    known.reference = fact.trigger.reference && whole(fact.trigger.reference, 8);
    const levels = [known, known.before].map(({ stopPrice, trail }) =>
      trail === undefined ? stopPrice : (known.reference ?? 0) - trail,
    );
    if (!levels.includes(whole(fact.trigger.level, 8)))
      problems.push(`triggered at ${fact.trigger.level}, not ${levels}`);
    if (fact.trigger.observed > fact.trigger.level) problems.push("triggered above its level");
  } else if (fact.kind === "CHILD_INTENDED") {
    const { quantity, limitPrice } = fact.child;
    if (known.executed + whole(quantity, 6) > known.quantity + 1e-9)
      problems.push("sent more than its quantity");
    const limit = limitPrice === undefined ? undefined : whole(limitPrice, 8);
    if (limit !== known.price) problems.push(`sent at ${limit}, not ${known.price}`);
  } else if (fact.kind === "FILLED") known.executed += whole(fact.fill.quantity, 6);
}

function recompute(records: readonly JournalRecord[], problems: string[]): Known {
  const known: Known = {
    ...{ quantity: 0, stopPrice: undefined, trail: undefined, price: undefined },
    ...{ executed: 0, triggered: false, reference: undefined },
    before: { stopPrice: undefined, trail: undefined },
  };
  for (const { changes } of records)
    for (const { facts } of changes) for (const fact of facts) apply(known, fact, problems);
  return known;
}

const failureOf = (fault: "slow" | "fail" | "unknown") => (fault === "slow" ? "none" : fault);

/** Compares an order with its records, and with the bids that it has seen. */
function check(now: ParentOrder, records: readonly JournalRecord[], seen: readonly number[]): void {
  const problems: string[] = [];
  const known = recompute(records, problems);
  expect(problems).toEqual([]);
  if (known.reference !== undefined) expect(seen).toContain(known.reference);
  if (now.ended !== undefined) return;
  expect(known.executed).toBeLessThan(known.quantity + 1e-9);
  const level = known.trail === undefined ? (known.stopPrice ?? 0) : Math.max(...seen) - known.trail;
  // Protected at every moment: the price that stands has not passed the durable level of an order that waits for it.
  if (!known.triggered) expect(seen.at(-1)).toBeGreaterThan(level);
}

async function live(form: keyof typeof FORMS, acts: readonly Act[]): Promise<void> {
  const { order, field, of } = FORMS[form];
  const { world, store } = await createFaultyWorld();
  world.venue.onSubmit = ({ childId, quantity: size }) =>
    reported(childId, "closed", [
      fillOf({ quantity: (Number(size) > 1_000_000 ? "1" : size) as string, price: "140" }),
    ]);
  await world.quote("100", "200");
  const placed = await world.place({ ...order, side: "SELL", quantity: "5" } as Partial<OrderFields>);
  await world.engine.idle();
  const { accountId, orderId } = placed;
  /** Bids since the order began to trail, and the last. */
  const seen: number[] = [100];
  const observe = (price: number): void => {
    world.engine.market.quote({ symbol: "BTC/USD", bid: `${price}`, ask: "200" });
    seen.push(price);
  };
  for (const one of acts) {
    if (one.kind === "quote") observe(one.bid);
    else if (one.kind === "crash") {
      await world.crash();
      observe(seen.at(-1) ?? 100);
    } else if (one.kind === "pass") await world.pass(6_000);
    else {
      const changes: AmendName["changes"] = { [field]: of(one.level), quantity: `${one.size / 10}` };
      const isSeen = one.during.length > 0;
      store().inject(isSeen ? "slow" : one.fault, 1);
      const amending = world.engine.amend({ accountId, orderId, changes }).catch(() => undefined);
      await turns(20);
      for (const price of one.during) {
        observe(price);
        await turns(2);
      }
      store().inject(isSeen ? failureOf(one.fault) : "none", 1);
      store().release();
      await amending;
    }
    await world.engine.idle();
    store().inject("none");
    await world.pass(1_100);
    const now = await world.order(placed);
    check(now, (await world.engine.story(orderId))?.records ?? [], seen);
    if (now.ended !== undefined) break;
  }
  expect((await world.engine.verify()).equal).toBe(true);
  expect(world.alerts.filter(({ alert }) => alert === "OVERFILL" || alert === "INVARIANT_BROKEN")).toEqual(
    [],
  );
}

describe("an order that is amended at any time", () => {
  it.each(Object.keys(FORMS) as (keyof typeof FORMS)[])(
    "%s: executes no more than its durable quantity, triggers at a level that was durable, and is always protected by it",
    async (form) => {
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), (acts) => live(form, acts)),
        { numRuns: 40 },
      );
    },
  );
});
