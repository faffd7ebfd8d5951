import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Quantity } from "../../../src/decimal/index.ts";
import { InvariantError } from "../../../src/errors/index.ts";
import type { Fact, Fill, JournalRecord, ParentOrder } from "../../../src/model/index.ts";
import { decodeParent, decodeRecord, encodeParent, encodeRecord } from "../../../src/wire/index.ts";
import {
  integer,
  type KindsOf,
  type MembersOf,
  object,
  optional,
  scaled,
  text,
  words,
  write,
} from "../../../src/wire/journal/schema.ts";
import { anyParent, anyRecord } from "../../support/arbitraries.ts";
import { seedOr } from "../../support/seed.ts";
import { mutationsOf, seenIn } from "./mutations.ts";

const SEED = seedOr(20_261_122);

/** Returns the error of a call; undefined if it threw none. */
function failureOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

const FORMATS = [
  [
    "record",
    fc.sample(anyRecord, { numRuns: 400, seed: SEED }).map(encodeRecord),
    (value: string) => encodeRecord(decodeRecord(value)),
  ],
  [
    "parent",
    fc.sample(anyParent, { numRuns: 150, seed: SEED }).map(encodeParent),
    (value: string) => encodeParent(decodeParent(value)),
  ],
] as const;

describe.each(FORMATS)(`the schema of a %s (SEED=${SEED})`, (root, texts, again) => {
  const seen = seenIn(
    texts.map((each) => JSON.parse(each)[root]),
    root,
  );

  it("I16, I53: a text is written again to the byte after reading, in the order of its members", () => {
    for (const each of texts) expect(again(each)).toBe(each);
  });

  it("I53: no member can be missing, of another kind, of an unknown word, or additional", () => {
    const seenPlaces = new Set<string>();
    for (const each of texts) {
      for (const { place, change, isRefused, text: mutated } of mutationsOf(each, root, seen)) {
        if (seenPlaces.has(`${place} ${change}`)) continue;
        seenPlaces.add(`${place} ${change}`);
        const error = failureOf(() => again(mutated));
        const reported = `${place} ${change}`;
        expect(error instanceof InvariantError, reported).toBe(isRefused);
        if (error instanceof InvariantError) {
          expect(error.message, reported).toMatch(/^I53: .* cannot be read: /);
          expect(error.message, reported).not.toContain("no such word");
        }
      }
    }
    expect(seenPlaces.size).toBeGreaterThan(400);
  });
});

const fact = (one: Fact): JournalRecord => ({
  shard: 7,
  sequence: 12,
  timeMs: 1,
  cause: { kind: "RECOVERY" },
  changes: [{ orderId: -7, previous: 0, facts: [one] }],
});

const closed: Fact = { kind: "CHILD_CLOSED", childId: "a", outcome: "DONE", notBeforeMs: 5 };

describe("errors of the journal's schema", () => {
  it.each([
    [
      '"outcome":"DONE"',
      '"outcome":"GONE"',
      'it holds a word in the member "outcome" of a fact CHILD_CLOSED, which',
    ],
    ['"outcome":"DONE",', "", 'a member is missing or has the wrong type: "outcome" of a fact CHILD_CLOSED'],
    ['"notBeforeMs":5', '"notBeforeMs":"5"', 'wrong type: "notBeforeMs" of a fact CHILD_CLOSED'],
    ['"notBeforeMs":5', '"notBeforeMs":5.5', 'wrong type: "notBeforeMs" of a fact CHILD_CLOSED'],
  ])("I53: %s as %s is named by its member and kind, never by its content", (from, to, reported) => {
    const error = failureOf(() => decodeRecord(encodeRecord(fact(closed)).replace(from, to)));
    expect(String(error)).toContain(`journal record 12 of shard 7 cannot be read: `);
    expect(String(error)).toContain(reported);
    expect(String(error)).not.toContain("GONE");
  });

  it.each<[string, object, string]>([
    ["a member of no schema", { ...closed, mood: 1 }, 'the member "mood" of a fact CHILD_CLOSED'],
    ["a fraction", { ...closed, notBeforeMs: 0.5 }, '"notBeforeMs" of a fact CHILD_CLOSED'],
    [
      "a number of any size where it must be a safe one",
      { ...closed, notBeforeMs: 5n },
      '"notBeforeMs" of a fact CHILD_CLOSED',
    ],
    ["no number", { ...closed, notBeforeMs: Number.NaN }, '"notBeforeMs" of a fact CHILD_CLOSED'],
    ["an unknown word", { ...closed, outcome: "GONE" }, '"outcome" of a fact CHILD_CLOSED'],
    ["an unknown kind", { kind: "MOVED" }, "an entry"],
    ["a missing member", { kind: "FILLED", childId: "a" }, "a fact FILLED without all of its members"],
  ])("I53: %s is not written, since it could not be read", (_name, one, reported) => {
    const error = failureOf(() => encodeRecord(fact(one as Fact)));
    expect(error).toBeInstanceOf(InvariantError);
    expect(String(error)).toContain(
      `I53: journal record 12 of shard 7 cannot be written: ${reported} is not part of the journal's format`,
    );
  });

  it("I53: an absent member may be undefined, and is not written", () => {
    const loose = { ...closed, detail: undefined } as object as Fact;
    expect(encodeRecord(fact(loose))).toBe(encodeRecord(fact(closed)));
  });

  it("an object of which every member is absent is written as one without members", () => {
    const either = object<{ a?: number; b?: number }>("a choice", {
      a: optional(integer),
      b: optional(integer),
    });
    expect([write(either, {}, {}), write(either, { b: 1 }, {})]).toEqual(["{}", '{"b":1}']);
  });

  it("I53: a schema that omits a member, or gives it another kind, does not compile", () => {
    const fill = { executionId: text, quantity: scaled<Quantity>(), timeMs: integer };
    // @ts-expect-error: the price is missing
    object<Fill>("a fill", fill);
    // @ts-expect-error: a price is not a quantity
    const wrongUnit: MembersOf<Fill> = { ...fill, price: scaled<Quantity>() };
    // @ts-expect-error: a time is not a text
    const wrongKind: MembersOf<Pick<Fill, "timeMs">> = { timeMs: text };
    const side = words({ BUY: true, SELL: true });
    // @ts-expect-error: an intent always has a side
    const needless: MembersOf<Pick<ParentOrder["intent"], "side">> = { side: optional(side) };
    // @ts-expect-error: an order may have no slot
    const missing: MembersOf<Pick<ParentOrder, "nextSlot">> = { nextSlot: integer };
    // @ts-expect-error: SELL is missing
    const short: MembersOf<Pick<ParentOrder["intent"], "side">> = { side: words({ BUY: true }) };
    // @ts-expect-error: other kinds of facts are missing
    const few: KindsOf<Fact> = { FROZEN: {} };
    expect([wrongUnit, wrongKind, needless, missing, short, few]).toHaveLength(6);
  });
});
