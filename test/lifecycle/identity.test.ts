import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../src/errors/index.ts";
import { childIdOf, countOfId, managedIdOf, readChildId, shardOf } from "../../src/lifecycle/index.ts";
import { SHARD_COUNT, shardOfId } from "../../src/model/index.ts";

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
