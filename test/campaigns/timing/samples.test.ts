import { describe, expect, it } from "vitest";
import { compare, reportOf, type Samples } from "./samples.ts";

const of = (first: readonly number[], second: readonly number[]): Samples => [
  { kind: "unknown key", took: first.map(BigInt) },
  { kind: "wrong signature", took: second.map(BigInt) },
];

describe("the rank sum of npm run program -- timing", () => {
  it("finds no difference between equal samples, including ties", () => {
    const values = Array.from({ length: 200 }, (_, index) => index % 7);
    expect(compare(of(values, values))).toEqual({ superiority: 0.5, z: 0 });
  });

  it("is certain of samples that do not overlap", () => {
    const low = Array.from({ length: 50 }, (_, index) => index);
    const high = low.map((value) => value + 1_000);
    expect(compare(of(high, low)).superiority).toBe(1);
    expect(compare(of(low, high)).superiority).toBe(0);
    expect(compare(of(high, low)).z).toBeGreaterThan(8);
  });

  it("matches the textbook value for a small sample", () => {
    // U of the first is 3 + 2 + 2 wins and no tie, of 9 pairs.
    const { superiority, z } = compare(of([19, 22, 25], [16, 20, 21]));
    expect(superiority).toBeCloseTo(7 / 9, 10);
    expect(z).toBeCloseTo(2.5 / Math.sqrt(5.25), 10);
  });

  it("detects a shift of one percent under ten percent of noise", () => {
    const noise = Array.from({ length: 20_000 }, (_, index) => 1_000 + ((index * 7_919) % 100));
    expect(
      Math.abs(
        compare(
          of(
            noise,
            noise.map((value) => value + 10),
          ),
        ).z,
      ),
    ).toBeGreaterThan(3.3);
    expect(reportOf("REST", of(noise, noise), compare(of(noise, noise)))).toContain("z = 0.00");
  });
});
