import fc from "fast-check";

/** Text of any code points, including lone surrogates and control characters. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0x10ffff));
  return fc.string({ unit: codePoint.map((code) => String.fromCodePoint(code)), maxLength });
}
