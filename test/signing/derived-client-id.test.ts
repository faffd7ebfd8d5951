import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { derivedClientId } from "../../src/signing/index.ts";

const source = { apiKey: "key", signature: "ab".repeat(32), field: "newClientOrderId" };

describe("derivedClientId", () => {
  it("never changes: these values are fixed", () => {
    expect(derivedClientId(source)).toBe("VYl7w30IflGioVEbYpFZM8");
    expect(derivedClientId({ ...source, apiKey: "other" })).toBe("KefkZlIrGsfsVftiSB4TFe");
    expect(derivedClientId({ ...source, field: "aboveClientOrderId" })).toBe("whwxefIieZQFlzFgAUbc7S");
    expect(derivedClientId({ ...source, signature: "ac".repeat(32) })).toBe("TmTL2NNyzPP8hACIl1ghib");
  });

  it("does not depend on the letter case of the signature", () => {
    expect(derivedClientId({ ...source, signature: "AB".repeat(32) })).toBe(derivedClientId(source));
  });

  it("is 22 letters and digits, which every id rule accepts", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.stringMatching(/^[0-9a-f]{64}$/),
        fc.string(),
        (apiKey, signature, field) => {
          expect(derivedClientId({ apiKey, signature, field })).toMatch(/^[0-9A-Za-z]{22}$/);
        },
      ),
    );
  });

  it("uses every letter and digit, and does not repeat among many", () => {
    const ids = new Set<string>();
    const characters = new Set<string>();
    for (let number = 0; number < 2000; number++) {
      const id = derivedClientId({ ...source, signature: number.toString(16).padStart(64, "0") });
      ids.add(id);
      for (const character of id) characters.add(character);
    }
    expect(ids.size).toBe(2000);
    expect(characters.size).toBe(62);
  });
});
