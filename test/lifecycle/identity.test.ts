import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import {
  childIdOf,
  countOfId,
  evolve,
  managedIdOf,
  readChildId,
  SHARD_COUNT,
  shardOf,
  shardOfId,
} from "../../src/lifecycle/index.ts";
import type { Fact } from "../../src/model/index.ts";
import { intentOf, Subject } from "./support.ts";

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
    expect(() => managedIdOf({ count: 2 ** 45 + 1, shard: 0 })).toThrow(InvariantError);
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
});

describe("I53: invalid facts are refused", () => {
  const at = { orderId: -256, sequence: 9, timeMs: 1 };
  const accepted: Fact = { kind: "ACCEPTED", accountId: 1, intent: intentOf() };

  it.each([
    ["a second acceptance", (s: Subject) => evolve(s.order, accepted, at)],
    ["a fact of an unknown parent", () => evolve(undefined, { kind: "FROZEN" }, at)],
    [
      "I24: closing a child that does not exist",
      (s: Subject) => evolve(s.order, { kind: "CHILD_CLOSED", childId: "aqc-1", outcome: "DONE" }, at),
    ],
    [
      "I24: a second child",
      (s: Subject) => {
        s.fire("100");
        return evolve(s.order, { kind: "CHILD_INTENDED", child: { ...childOf(s), attempt: 2 } }, at);
      },
    ],
    [
      "I12: a child for more than the rest",
      (s: Subject) => {
        s.fire("100");
        const child = { ...childOf(s), quantity: quantity("1.000001") };
        return evolve(new Subject().order, { kind: "CHILD_INTENDED", child }, at);
      },
    ],
    [
      "I23: an end with a child in flight",
      (s: Subject) => {
        s.fire("100");
        return evolve(s.order, { kind: "ENDED", status: "CANCELED", reason: "USER_CANCELED" }, at);
      },
    ],
    [
      "I50: a second end",
      (s: Subject) => {
        s.meet({ kind: "CANCEL" });
        return evolve(s.order, { kind: "ENDED", status: "EXPIRED", reason: "EXPIRED_GTD" }, at);
      },
    ],
    [
      "I15: an execution twice",
      (s: Subject) => {
        s.fire("100");
        s.report("open", [["a", "0.5"]]);
        const fill = { executionId: "a", quantity: quantity("0.5"), price: 1 as never, timeMs: 0 };
        return evolve(s.order, { kind: "FILLED", childId: s.childId, fill }, at);
      },
    ],
  ])("%s", (_what, apply) => {
    expect(() => apply(new Subject())).toThrow(InvariantError);
  });
});

function childOf(subject: Subject): NonNullable<Subject["order"]["child"]> {
  if (subject.order.child === undefined) throw new Error("no child");
  return subject.order.child;
}
