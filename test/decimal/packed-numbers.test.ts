import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOfRow, normalise, PackedNumbers, packed, type Scaled } from "../../src/decimal/index.ts";
import { seedOr } from "../support/seed.ts";

const rowOf = (greatest: Scaled): Scaled[] => [...new Array<Scaled>(99).fill(1), greatest];

describe("packed numbers", () => {
  it.each<readonly [bytes: number, greatest: Scaled]>([
    [1, 255],
    [2, 256],
    [2, 65_535],
    [4, 65_536],
    [4, 4_294_967_295],
    [8, 4_294_967_296],
    [8, Number.MAX_SAFE_INTEGER],
    [8, 9_007_199_254_740_992n],
    [8, 18_446_744_073_709_551_615n],
  ])("take %i byte(s) each up to %s, and unpack to the same numbers", (bytes, greatest) => {
    const row = rowOf(greatest);
    const cells = packed(row);
    expect(cells).toBeInstanceOf(PackedNumbers);
    expect(bytesOfRow(cells)).toBe(100 * bytes);
    expect([...cells]).toStrictEqual(row);
    expect([cells.at(99), cells.at(100), cells.join()]).toStrictEqual([greatest, undefined, row.join()]);
    expect(packed(cells)).toBe(cells);
  });

  it.each<readonly [string, readonly Scaled[]]>([
    ["a short row", new Array<Scaled>(63).fill(1)],
    ["a number below 0", rowOf(-1)],
    ["a number above 2^64", rowOf(18_446_744_073_709_551_616n)],
  ])("%s stays a plain array and counts 8 bytes each", (_, row) => {
    expect(packed(row)).toBe(row);
    expect(bytesOfRow(row)).toBe(row.length * 8);
  });

  it("pack from 64 numbers on, zeros included", () => {
    const row = new Array<Scaled>(64).fill(0);
    expect(packed(row)).toBeInstanceOf(PackedNumbers);
    expect([...packed(row)]).toStrictEqual(row);
  });

  it("every array survives packing unchanged, with the same JSON", () => {
    const value = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(normalise);
    const narrow = fc.nat();
    const rows = fc.oneof(
      fc.array(value, { maxLength: 90 }),
      fc.array(narrow, { minLength: 60, maxLength: 90 }),
    );
    fc.assert(
      fc.property(rows, (row) => {
        expect([...packed(row)]).toStrictEqual(row);
        if (row.every((each) => typeof each === "number"))
          expect(JSON.stringify(packed(row))).toBe(JSON.stringify(row));
      }),
      { seed: seedOr(20_261_123) },
    );
  });
});
