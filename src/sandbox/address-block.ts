import { isIP, isIPv6 } from "node:net";
import { parseWhole } from "./whole-number.ts";

/** An address with its prefix length, a bare address as a block of one; undefined for text that is neither. */
export function parseBlock(text: string): string | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const longest = isIPv6(address) ? 128 : 32;
  const prefix = bits === undefined ? longest : parseWhole(bits, { min: 0, max: longest });
  return isIP(address) > 0 && prefix !== undefined && more.length === 0 ? `${address}/${prefix}` : undefined;
}
