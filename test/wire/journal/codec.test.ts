import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import { InvariantError } from "../../../src/errors/index.ts";
import type { JournalRecord } from "../../../src/model/index.ts";
import {
  decodeParent,
  decodeRecord,
  encodeParent,
  encodeRecord,
  JOURNAL_WORDS,
} from "../../../src/wire/index.ts";
import { readableJournal } from "../../../src/wire/journal/codec.ts";
import { anyParent, anyRecord } from "../../support/arbitraries.ts";

const record: JournalRecord = {
  shard: 7,
  sequence: 12,
  timeMs: 1,
  cause: { kind: "VENUE", source: "SUBMIT" },
  changes: [
    {
      orderId: -1799,
      previous: 3,
      facts: [
        { kind: "ACTIVATED", activation: { position: 4, seed: price("9999999999.99999999") } },
        { kind: "ALERT", alert: "OVERFILL", detail: '{"n":"1"}' },
      ],
    },
  ],
};

/** Returns the error of a call that must throw one. */
function failureOf(call: () => unknown): InvariantError {
  try {
    call();
  } catch (error) {
    if (error instanceof InvariantError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("journal codec", () => {
  it("I53 I16: a record reads back from its text unchanged, including absent members and bigints", () => {
    fc.assert(
      fc.property(anyRecord, (value) => {
        expect(decodeRecord(encodeRecord(value), value)).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("I53 I16: a parent reads back from its text unchanged, and its text is one line", () => {
    fc.assert(
      fc.property(anyParent, (value) => {
        const text = encodeParent(value);
        expect(decodeParent(text, value.orderId)).toStrictEqual(value);
        expect(text).not.toContain("\n");
      }),
      { numRuns: 500 },
    );
  });

  it("I16: the largest price keeps its last digit, and a text that looks like a number stays a text", () => {
    const text = encodeRecord(record);
    expect(text).toContain('{"n":"999999999999999999"}');
    expect(decodeRecord(text)).toStrictEqual(record);
  });

  it("I16 I34: the sums of a plan keep their last digit inside an array, with numbers and bigints mixed", () => {
    const [parent] = fc.sample(anyParent, 1);
    if (parent === undefined) throw new Error("no sample");
    const cumulative = [0, Number.MAX_SAFE_INTEGER, 9_007_199_254_740_993n, 9_999_999_999_999_990_000n];
    const planned = { ...parent, plan: { startsAtMs: 1, intervalMs: 60_000, count: 4, cumulative } };
    expect(decodeParent(encodeParent(planned)).plan?.cumulative).toStrictEqual(cumulative);
  });

  it("a text names its format, and another format is refused by name", () => {
    const text = encodeRecord(record);
    expect(text.startsWith('{"v":1,')).toBe(true);
    const failing = (format: string): string =>
      failureOf(() => decodeRecord(text.replace('"v":1', `"v":${format}`))).message;
    expect(failing("2")).toBe(
      "I53: journal record cannot be read: it has the format 2, which this version does not know; " +
        "a newer version of managed-orders wrote it: run that version",
    );
    for (const format of ["0", "1.5", '"2"', "null", "1e400"])
      expect(failing(format)).toBe(
        "I53: journal record cannot be read: its format is not 1, the one this version reads",
      );
  });

  it("says which facts it can read, and has the words of replies and events", () => {
    const { format, kinds } = readableJournal();
    expect(format).toBe(1);
    expect(kinds).toEqual(expect.arrayContaining(["ACCEPTED", "CHILD_INTENDED", "ENDED"]));
    expect(JOURNAL_WORDS.alert).toContain("OVERFILL");
    expect(JOURNAL_WORDS.stalled).toContain("NO_FUNDS");
  });

  it("I53: a record of another place or an order of another id is refused", () => {
    const misplaced = failureOf(() => decodeRecord(encodeRecord(record), { shard: 7, sequence: 13 }));
    expect(misplaced.message).toBe(
      "I53: journal record 13 of shard 7 cannot be read: it is record 12 of shard 7",
    );
    const [parent] = fc.sample(anyParent, 1);
    if (parent === undefined) throw new Error("no sample");
    expect(failureOf(() => decodeParent(encodeParent(parent), -1)).message).toContain("it is order");
  });

  it("I53: a record is not a parent and a parent is not a record", () => {
    expect(failureOf(() => decodeParent(encodeRecord(record))).message).toContain("it has no member parent");
    expect(failureOf(() => decodeRecord('{"v":1,"record":{"shard":1}}')).message).toContain(
      "a member is missing",
    );
  });

  it("I53 I72: a broken text is reported by place and position, never by its content", () => {
    const text = encodeRecord({ ...record, changes: [] });
    const secret = text.replace('"changes"', '"secret-token" x');
    const error = failureOf(() => decodeRecord(secret, record));
    expect(error.invariant).toBe("I53");
    const fault = secret.indexOf("x:[]");
    expect(error.message).toBe(
      `I53: journal record 12 of shard 7 cannot be read: broken text at character ${fault} of ${secret.length}`,
    );
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain("secret-token");
  });

  it("I53: every truncated text is refused, at a place inside the rest", () => {
    const text = encodeRecord(record);
    for (let length = 0; length < text.length; length++) {
      const { message } = failureOf(() => decodeRecord(text.slice(0, length)));
      const [, fault = "", whole] = /^I53: .* at character (\d+) of (\d+)$/.exec(message) ?? [];
      expect(whole).toBe(String(length));
      expect(Number(fault)).toBeLessThanOrEqual(length);
    }
  });

  it.each([
    ['"kind":"ALERT"', '"kind":"MOVED"', 'the fact kind "MOVED"'],
    ['"kind":"ALERT"', '"kind":"constructor"', 'the fact kind "constructor"'],
    ['"kind":"ALERT"', '"kind":"secret 5"', "the fact kind with an unreadable name"],
    ['{"kind":"ALERT"', '{"sort":"ALERT"', "a fact without a kind"],
    ['"kind":"VENUE"', '"kind":"BROKER"', 'the cause kind "BROKER"'],
    ['"source"', '"by":"ops","source"', 'the member "by" of a cause VENUE'],
    ['"previous"', '"next":1,"previous"', 'the member "next" of a change'],
    ['"facts":[', '"facts":[null,', "an entry that is not an object"],
  ])("I53: a record with %s as %s belongs to a newer version and is refused", (from, to, what) => {
    const text = encodeRecord(record).replace(from, to);
    expect(failureOf(() => decodeRecord(text)).message).toBe(
      `I53: journal record 12 of shard 7 cannot be read: it holds ${what}, which this version does not know; ` +
        "a newer version of managed-orders wrote it: run that version",
    );
  });

  it("I53: a parent with a member that this version does not know is refused", () => {
    const [parent] = fc.sample(anyParent, 1);
    if (parent === undefined) throw new Error("no sample");
    const text = encodeParent(parent);
    const later = text.replace('"intent":{', '"intent":{"maxSlippage":5,');
    expect(failureOf(() => decodeParent(later)).message).toContain('the member "maxSlippage" of an intent');
    expect(failureOf(() => decodeParent(text.replace('"orderId"', '"mood":1,"orderId"'))).message).toContain(
      'the member "mood" of a parent',
    );
  });

  it.each(['{"n":"x"}', '{"n":5,"m":{"n":"1"}}', '{"n":""}', '{"n":"1e3"}'])(
    "I53: the number %s is refused",
    (form) => {
      const text = encodeRecord(record).replace('{"n":"999999999999999999"}', form);
      expect(failureOf(() => decodeRecord(text)).message).toContain("a number cannot be read");
    },
  );
});
