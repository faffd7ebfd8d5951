import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binaryArray, COMMIT, type ElementType, sentCommit } from "../../../src/adapters/postgres/commit.ts";
import type { CommitPart } from "../../../src/ports/index.ts";
import type { Places } from "./places.ts";

/** Values that are sent, and the text in which the server returns each. */
type Sample = Readonly<{ value: unknown; text: string }>;

const wholes = (least: number, most: number): fc.Arbitrary<Sample> =>
  fc.integer({ min: least, max: most }).map((value) => ({ value, text: String(value) }));

const SAMPLES: Readonly<Record<ElementType, fc.Arbitrary<Sample>>> = {
  bool: fc.boolean().map((value) => ({ value, text: value ? "t" : "f" })),
  int4: wholes(-(2 ** 31), 2 ** 31 - 1),
  int8: fc.oneof(
    wholes(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    fc.constantFrom(-(2 ** 32), -1, 0, 2 ** 32 - 1, 2 ** 32).map((value) => ({ value, text: String(value) })),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map(String)
      .map((text) => ({ value: text, text })),
  ),
  text: fc
    .string({ unit: "binary" })
    .map((text) => text.replaceAll("\0", '"\\'))
    .map((text) => ({ value: text, text })),
};

/** The number of a type, as a binary array names that of its elements. */
const NAMES: ReadonlyMap<number, ElementType> = new Map([
  ...([
    [16, "bool"],
    [20, "int8"],
    [23, "int4"],
    [25, "text"],
  ] as const),
]);

/** Declares the tests of arrays in binary format. */
export function binaryArrayCases(places: Places): void {
  describe("arrays of a commit are sent in binary format", () => {
    it.each(Object.keys(SAMPLES) as ElementType[])("the server reads %s as it was given", async (type) => {
      const database = places.database("public");
      const samples = fc.array(fc.option(SAMPLES[type]), { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(samples, async (given) => {
          const array = binaryArray(
            type,
            given.map((sample) => sample?.value ?? null),
          );
          const rows = await database.read(`SELECT t.v FROM unnest($1::${type}[]) AS t (v)`, [array]);
          expect(rows).toEqual(given.map((sample) => [sample?.text ?? null]));
        }),
        { numRuns: 60 },
      );
      await database.close();
    });

    it.each<[ElementType, unknown]>([
      ["int4", 1.5],
      ["int4", 2 ** 31],
      ["int4", Number.NaN],
      ["int4", "1"],
      ["int8", 1.5],
      ["int8", 2 ** 53],
      ["int8", undefined],
      ["int8", String(2n ** 63n)],
    ])("%s refuses %s before anything is sent", (type, value) => {
      expect(() => binaryArray(type, [value])).toThrow(RangeError);
    });

    const parts: readonly CommitPart[] = [
      { conditions: [["a", "1"]], puts: [["log 000 1", "2"]], deletes: [] },
      { conditions: [["b", undefined]], puts: [["b", "1"]], deletes: [] },
    ];
    const records = parts.slice(0, 1);
    const whole: readonly CommitPart[] = [{ conditions: [["a", "1"]], puts: [], deletes: ["log b"] }];

    it.each([
      ["records", sentCommit(records)],
      ["plain", sentCommit(parts)],
      ["whole", sentCommit(whole)],
    ] as const)("each column of the commit %s has the type of its parameter", (form, { text, values }) => {
      expect(text).toBe(COMMIT[form]);
      const types = new Map([...text.matchAll(/\$(\d+)::(\w+)\[\]/g)].map(([, n, type]) => [n, type]));
      const sent = values.map((column, index) => [String(index + 1), NAMES.get(column.readInt32BE(8))]);
      expect(sent).toEqual([...types].sort(([a], [b]) => Number(a) - Number(b)));
    });
  });
}
