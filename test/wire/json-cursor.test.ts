import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import { type JsonCursor, skipString, takeString } from "../../src/wire/json.ts";
import { anyText } from "./any-text.ts";

/** The end position of a token reader in a text; undefined if it refuses the text. */
function endOf(read: (cursor: JsonCursor) => unknown, text: string): number | undefined {
  const cursor = { text, at: 0 };
  try {
    read(cursor);
    return cursor.at;
  } catch {
    return undefined;
  }
}

const piece = fc.oneof(
  fc.constantFrom('"', "\\", '\\"', "\\\\", "\\/", "\\b", "\\x", "\\u00e9", "\\u12", "\\ud800", "\n", "\t"),
  anyText(3),
);
const token = fc.array(piece, { maxLength: 8 }).map((pieces) => `"${pieces.join("")}", 1`);

describe("takeString", () => {
  const meantBy = (text: string): string | undefined => {
    try {
      return JSON.parse(text) as string;
    } catch {
      return undefined;
    }
  };
  const plain = fc.nat({ max: 20 }).map((length) => `"${"x".repeat(length)}"`);

  it("hostile 59-62: returns the same as JSON.parse of the token, with and without escapes", () => {
    fc.assert(
      fc.property(fc.oneof(token, plain), (text) => {
        const cursor: JsonCursor = { text, at: 0 };
        try {
          const taken = takeString(cursor);
          expect(taken).toBe(meantBy(text.slice(0, cursor.at)));
        } catch (error) {
          expect(error).toBeInstanceOf(OrderError);
          for (let end = 1; end <= text.length; end++) expect(meantBy(text.slice(0, end))).toBeUndefined();
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("skipString", () => {
  it("hostile 59-62: accepts the same strings as takeString, and stops at the same place", () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(endOf(skipString, text)).toBe(endOf(takeString, text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("hostile 94: a string as long as a message can be is one step", () => {
    const text = `"${"x\\n".repeat(21_000)}"`;
    expect(endOf(skipString, text)).toBe(text.length);
    expect(endOf(skipString, text.slice(0, -1))).toBeUndefined();
  });
});
