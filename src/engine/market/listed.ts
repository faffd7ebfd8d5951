import type { Instruments } from "../../ports/index.ts";

/** Returns whether the host has an instrument now. If it cannot tell, which its operator is told, the answer is no. */
export function isListed(instruments: Pick<Instruments, "find">, symbol: string): boolean {
  try {
    return instruments.find(symbol) !== undefined;
  } catch {
    return false;
  }
}
