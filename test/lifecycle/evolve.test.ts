import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { price, quantity } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import {
  childIdOf,
  countOfId,
  evolve,
  evolveAll,
  managedIdOf,
  readChildId,
  shardOf,
} from "../../src/lifecycle/index.ts";
import {
  type ChildOrder,
  copyOf,
  type Fact,
  type ParentOrder,
  SHARD_COUNT,
  shardOfId,
} from "../../src/model/index.ts";
import { anyParent } from "../support/arbitraries.ts";
import { createWorld } from "../support/world.ts";
import { intentOf, NOW, Subject } from "./support.ts";

it("I53: a fact of an unknown kind is an error and never the end of its parent", () => {
  const [parent] = fc.sample(anyParent, 1);
  const fact = { kind: "TRIGGER_MOVED" } as unknown as Fact;
  expect(() => evolve(parent, fact, { orderId: -259, sequence: 8, timeMs: 1 })).toThrow(
    "I53: record 8 of shard 3 holds a fact of the kind TRIGGER_MOVED for parent -259",
  );
});

const context = { orderId: -256, sequence: 9, timeMs: NOW + 5 };
const accepted: Fact = { kind: "ACCEPTED", accountId: 1, intent: intentOf(), acceptance: 1 };
const END = { status: "CANCELED", reason: "USER_CANCELED" } as const;
const ended: Fact = { kind: "ENDED", ...END };

const waiting = (): ParentOrder => new Subject().order;
const working = (): ParentOrder => {
  const subject = new Subject();
  subject.fire("100");
  return subject.order;
};
const childOf = (change: Partial<ChildOrder> = {}): ChildOrder => ({
  ...(working().child as ChildOrder),
  ...change,
});
const intended = (change: Partial<ChildOrder> = {}): Fact => ({
  kind: "CHILD_INTENDED",
  child: childOf(change),
});
const open: Fact = { kind: "CHILD_OPEN", childId: "aqc-x" };
const filled: Fact = {
  kind: "FILLED",
  childId: "aqc-x",
  fill: { executionId: "e1", quantity: quantity("0.1"), price: price("100"), timeMs: NOW },
};

type Refusal = readonly [
  what: string,
  order: ParentOrder | undefined,
  fact: Fact,
  id: string,
  message: string,
];

describe("a fact that contradicts its parent is a broken invariant, and never applied", () => {
  const refusals: readonly Refusal[] = [
    ["accepted twice", waiting(), accepted, "I53", "parent -256 is accepted twice"],
    ["an unknown parent", undefined, open, "I53", "fact CHILD_OPEN for the unknown parent -256"],
    ["released, but not held", waiting(), { kind: "RELEASED" }, "I41", "leg -256 is released twice"],
    [
      "released after its end",
      { ...waiting(), held: true, ended: { ...END, atMs: NOW } },
      { kind: "RELEASED" },
      "I41",
      "leg -256 is released twice",
    ],
    ["no child in flight", waiting(), open, "I24", "parent -256 has no outstanding child aqc-x"],
    ["another child in flight", working(), open, "I24", "parent -256 has no outstanding child aqc-x"],
    ["a second child", working(), intended(), "I24", "parent -256 already has an outstanding child"],
    [
      "a child after the end",
      { ...waiting(), ended: { ...END, atMs: NOW } },
      intended(),
      "I23",
      "parent -256 is held or ending",
    ],
    [
      "a child while it ends",
      { ...waiting(), pendingEnd: END },
      intended(),
      "I23",
      "parent -256 is held or ending",
    ],
    [
      "a child of a held leg",
      { ...waiting(), held: true },
      intended(),
      "I23",
      "parent -256 is held or ending",
    ],
    [
      "more than its quantity",
      waiting(),
      intended({ quantity: quantity("1.000001") }),
      "I12",
      "parent -256 would commit more than its quantity",
    ],
    [
      "a used slot",
      { ...waiting(), nextSlot: 3 },
      intended({ slot: 2 }),
      "I33",
      "slot 2 of parent -256 is used already",
    ],
    [
      "a counted execution",
      evolve(waiting(), filled, context),
      filled,
      "I15",
      "execution e1 of aqc-x is counted already",
    ],
    ["a second end", { ...waiting(), ended: { ...END, atMs: NOW } }, ended, "I50", "parent -256 ends twice"],
    ["an end with a child in flight", working(), ended, "I23", "parent -256 ends with a child in flight"],
  ];

  it.each(refusals)("%s", (_what, order, fact, id, message) => {
    expect(() => evolve(order, fact, context)).toThrow(new InvariantError(id, message));
  });
});

describe("what a fact changes", () => {
  it("the first quote of a post-only order is recorded", () => {
    expect(evolve(waiting(), { kind: "POSTED" }, context).postOnlyCleared).toBe(true);
  });

  it("a leg is released when its record says so", () => {
    const { held, releasedAtMs } = evolve({ ...waiting(), held: true }, { kind: "RELEASED" }, context);
    expect([held, releasedAtMs]).toEqual([undefined, NOW + 5]);
  });

  it("how far engine time was ahead is kept from the acceptance on", () => {
    expect(evolve(undefined, { ...accepted, aheadMs: 7 } as Fact, context).aheadMs).toBe(7);
  });

  it("an alert about anything but a report is not kept", () => {
    const alerted = evolve(waiting(), { kind: "ALERT", alert: "OVERFILL", detail: "x" }, context);
    expect(alerted.invalidReports).toBeUndefined();
  });

  it("a restored parent continues after the attempts that it may have made since", () => {
    const { restored, attempts } = evolve(waiting(), { kind: "RESTORED", attempts: 7 }, context);
    expect([restored, attempts]).toEqual([true, 7]);
  });

  it.each([
    ["as long as its execution took", 300, 1_000, 1_000],
    ["as long as said, if its execution took less", 3_000, 1_000, 3_000],
    ["half a minute at most", 300, 30_001, 30_000],
  ])("a child that was closed early is looked up, and the next one %s", (_, saidMs, tookMs, waitMs) => {
    const subject = new Subject();
    subject.fire("100");
    const first = subject.order.child;
    const closed = { kind: "CHILD_CLOSED", childId: subject.childId, outcome: "DONE" } as const;
    const at = (timeMs: number): typeof context => ({ ...context, timeMs });
    const early = evolve(subject.order, { ...closed, lookUpAfterMs: saidMs }, at(NOW));
    expect(early.earlyClose).toEqual({ child: first, atMs: NOW, waitMs: saidMs });
    const late = evolve(early, { ...filled, childId: subject.childId }, at(NOW + tookMs));
    expect(late.earlyClose).toEqual({ child: first, atMs: NOW, waitMs });
    const next = evolve(late, intended({ childId: "aqc-2", quantity: quantity("0.1") }), at(NOW));
    expect(next.earlyClose).toEqual({ child: undefined, atMs: NOW, waitMs });
    const again = evolve(next, { ...closed, childId: "aqc-2", lookUpAfterMs: 1 }, at(NOW + 9));
    expect(again.earlyClose).toEqual({ child: next.child, atMs: NOW + 9, waitMs });
    const plain = evolve(next, { ...closed, childId: "aqc-2" }, at(NOW + 9));
    expect(plain.earlyClose).toEqual(next.earlyClose);
  });

  it("a child that was not handed over has not used its slot", () => {
    const sent = evolve(waiting(), intended({ slot: 2 }), context);
    expect(sent.nextSlot).toBe(3);
    const childId = sent.child?.childId ?? "";
    const back = evolve(sent, { kind: "CHILD_CLOSED", childId, outcome: "WITHDRAWN", detail: "" }, context);
    expect([back.nextSlot, back.child]).toEqual([2, undefined]);
  });
});

it("I53: the facts of a change apply in their order, and none before the acceptance", () => {
  const change = { orderId: -256, previous: 0, facts: [accepted, ended] };
  const after = evolveAll(undefined, change, context);
  expect(after).toEqual(evolve(evolve(undefined, accepted, context), ended, context));
  expect(() => evolveAll(undefined, { ...change, facts: [open, accepted] }, context)).toThrow(
    "I53: fact CHILD_OPEN for the unknown parent -256",
  );
  expect(evolveAll(after, { ...change, facts: [] }, context)).toBe(after);
});

describe("a changed parent has every member, in one order", () => {
  it("whatever members it had before, and with the same values", () => {
    const property = fc.property(anyParent, (parent) => {
      const alerted = { kind: "ALERT", alert: "OVERFILL", detail: "" } as const;
      const context = { orderId: parent.orderId, sequence: 77, timeMs: 78 };
      const after = evolve(parent, alerted, context);
      expect(after).toEqual({ ...parent, lastSequence: 77, updatedAtMs: 78 });
      expect(Object.keys(after)).toEqual(Object.keys(copyOf(parent)));
      expect(Object.keys(after).length).toBe(MEMBERS);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("I53: verify compares a parent whose members a store returns in another order", async () => {
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return { ...store, readEnded: async (range) => (await store.readEnded(range)).map(turnedOver) };
      },
    });
    const order = await world.place({ price: "20" });
    await world.cancel(order);
    expect(await world.engine.verify()).toMatchObject({ equal: true });
  });
});

const MEMBERS = 38;

const turnedOver = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).reverse()) as T;

const place = fc.record({ count: fc.integer({ min: 1, max: 2 ** 44 }), shard: fc.nat(SHARD_COUNT - 1) });

describe("I05: managed ids", () => {
  it("are negative and safe, and contain shard and count", () => {
    fc.assert(
      fc.property(place, (of) => {
        const id = managedIdOf(of);
        expect([Number.isSafeInteger(id), id < 0, shardOfId(id), countOfId(id)]).toEqual([
          true,
          true,
          of.shard,
          of.count,
        ]);
      }),
    );
  });

  it("fall within a shard", () => {
    fc.assert(
      fc.property(
        place,
        ({ count, shard }) => managedIdOf({ count: count + 1, shard }) < managedIdOf({ count, shard }),
      ),
    );
  });

  it("beyond the safe integers are not assigned", () => {
    for (const place of [
      { count: 2 ** 45 + 1, shard: 0 },
      { count: 0, shard: 0 },
    ])
      expect(() => managedIdOf(place)).toThrow(new InvariantError("I05", "shard 0 has used up its ids"));
  });

  it("the shard of an account never changes", () => {
    expect([1, 2, 3, 1_000_000, Number.MAX_SAFE_INTEGER].map(shardOf)).toEqual([28, 213, 66, 156, 171]);
  });

  it("accounts spread over the shards", () => {
    const used = new Set(Array.from({ length: 2_000 }, (_, account) => shardOf(account + 1)));
    expect(used.size).toBeGreaterThan(250);
  });
});

describe("I06: child ids", () => {
  const child = fc.record({
    place,
    acceptedAtMs: fc.nat(253_402_300_799_000),
    attempt: fc.integer({ min: 1, max: 1_000_000 }),
  });

  it("have at most 36 characters of the charset and contain parent, acceptance and attempt", () => {
    fc.assert(
      fc.property(child, ({ place: of, acceptedAtMs, attempt }) => {
        const orderId = managedIdOf(of);
        const id = childIdOf({ orderId, acceptedAtMs }, attempt);
        expect(id).toMatch(/^aqc-[0-9a-z-]{1,32}$/);
        expect(readChildId(id)).toEqual({ orderId, acceptedAtMs, attempt });
      }),
    );
  });

  it.each([
    "",
    "aqc-",
    "aqc-1-1",
    "AQC-1-1-1",
    "aqc-1-1-1 ",
    "aqc-1-1-1-1",
    "x-aqc-1-1-1",
    "aqc-0-1-1",
    "aqc-zzzzzzzzzzz-1-1",
    "aqc-é-1-1",
  ])("%j is not a child id", (text) => {
    expect(readChildId(text)).toBeUndefined();
  });

  it("I06: a longer one is a broken invariant, not another child's id", () => {
    const attempt = Number.MAX_SAFE_INTEGER;
    const longest = { orderId: -Number.MAX_SAFE_INTEGER, acceptedAtMs: 36 ** 8 - 1 };
    expect(childIdOf(longest, attempt)).toHaveLength(36);
    expect(() => childIdOf({ ...longest, acceptedAtMs: 36 ** 8 }, attempt)).toThrow(
      /^I06: child id aqc-.* is too long$/,
    );
  });
});
