import { DECIMAL } from "../../replies/index.ts";

/** Compares two decimal texts exactly: below 0, 0 or above 0, as `sort` wants it. */
export function compareDecimals(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  const size = a.whole.length - b.whole.length || order(a.whole, b.whole) || order(a.rest, b.rest);
  return a.sign < 0 ? -size : size;
}

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Leading and trailing zeros carry no value. */
function partsOf(text: string): Readonly<{ sign: number; whole: string; rest: string }> {
  const [, minus = "", digits = "0", fraction = ""] = DECIMAL.exec(text) ?? [];
  const whole = digits.replace(/^0+/, "");
  const rest = fraction.replace(/0+$/, "");
  const isZero = whole === "" && rest === "";
  return { sign: isZero ? 0 : minus === "" ? 1 : -1, whole, rest };
}
