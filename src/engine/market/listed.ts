import type { Instruments } from "../../ports/index.ts";

/** Returns whether the host has an instrument now. If it cannot tell, which its operator is told, the answer is no. */
export function isListed(instruments: Pick<Instruments, "find">, symbol: string): boolean {
  try {
    return instruments.find(symbol) !== undefined;
  } catch {
    return false;
  }
}

/** Returns whether the host is known to have an instrument no more. If it cannot tell, the answer is no. */
export function isWithdrawn(instruments: Pick<Instruments, "find">, symbol: string): boolean {
  try {
    return instruments.find(symbol) === undefined;
  } catch {
    return false;
  }
}
