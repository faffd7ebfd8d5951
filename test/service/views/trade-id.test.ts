import { describe, expect, it } from "vitest";
import { tradeIdOf } from "../../../src/service/views/native-order.ts";

describe("the number of an execution", () => {
  it.each(["1", "9007199254740993", "1000000000000000000", "9223372036854775807"])(
    "is the id itself if that is a number of at most 64 bits: %s",
    (id) => expect(tradeIdOf(id)).toBe(BigInt(id)),
  );

  it("is the same for ever, because clients keep the numbers of their fills", () => {
    const ids = [
      "pv-1",
      "x17",
      "9223372036854775808",
      "0",
      "01",
      "-1",
      "b2f7c1de-9d0a-4c55-8f0e-0f5b0a3f9a11",
    ];
    expect(ids.map(tradeIdOf)).toEqual([
      7861435882468146, 8422268761706669, 7572470181748648, 8342464183945901, 6053687716552859,
      7986686523354783, 7778705431827543,
    ]);
  });

  it("is a safe integer from 2^52 on for every other text, so that no double rounds it", () => {
    for (const id of ["", " ", "~".repeat(64), "00", "1e3", "9".repeat(19)]) {
      const number = tradeIdOf(id);
      expect([id, Number.isSafeInteger(number), Number(number) >= 2 ** 52]).toEqual([id, true, true]);
    }
  });

  it("differs for ids that differ, in every form that venues use", () => {
    const forms = [
      (index: number) => `pv-${index}`,
      (index: number) => `${index}-a`,
      (index: number) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`,
      (index: number) => `1760000000000-${index}`,
    ];
    const many = 50_000;
    const numbers = new Set<number | bigint>();
    for (const form of forms) for (let index = 0; index < many; index++) numbers.add(tradeIdOf(form(index)));
    expect(numbers.size).toBe(many * forms.length);
  });
});
