import {
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
  wordOption,
} from "../common/index.ts";
import { parseScaled, portion, type Quantity, type Scaled } from "../decimal/index.ts";
import type { ChildRequest } from "../model/index.ts";

/**
 * Fault of a submitted child. `timeout-before`: the child never arrives. `timeout-after`: it executes and the answer is
 * lost. `partial`: only a fraction of what it would fill is available. `delay`: it executes and the answer comes late.
 * `hold`: it executes and the venue withholds the outcome until it is released.
 */
export type SubmitFault =
  | "none"
  | "reject"
  | "timeout-before"
  | "timeout-after"
  | "partial"
  | "delay"
  | "hold";

/** Fault of a look-up of a child. `delay`: the true answer comes late. */
export type LookupFault = "none" | "not-found" | "fail" | "delay";

/** A fault of the venue and its scope: children of one symbol or account, and only the first `count` of them. */
export interface VenueFault {
  /** Default: none. */
  readonly mode?: SubmitFault;
  /** Default: none. */
  readonly lookup?: LookupFault;
  /** Fraction that a partial fault leaves, a decimal string from "0" to "1". Default: "0.5". */
  readonly fraction?: string;
  /** Length of a delay in milliseconds. Default: 1,000. */
  readonly delayMs?: number;
  readonly count?: number | undefined;
  readonly symbol?: string | undefined;
  readonly accountId?: number | undefined;
}

/** Number of decimals of {@link ActiveFault.fraction}. */
const FRACTION_SCALE = 20;

/** A fault with its defaults. `fraction` is in units of 1e-20. */
export type ActiveFault = Required<Pick<VenueFault, "mode" | "lookup" | "delayMs">> &
  Pick<VenueFault, "count" | "symbol" | "accountId"> &
  Readonly<{ fraction: Scaled }>;

const SUBMIT_FAULTS: readonly SubmitFault[] = [
  ...(["none", "reject", "timeout-before", "timeout-after", "partial", "delay", "hold"] as const),
];
const LOOKUP_FAULTS: readonly LookupFault[] = ["none", "not-found", "fail", "delay"];

/** Returns a fraction from 0 to 1 in units of 1e-20; `undefined` for any other text. */
export function parseFraction(text: string): Scaled | undefined {
  const value = parseScaled(text, FRACTION_SCALE);
  return value !== undefined && value <= 10n ** BigInt(FRACTION_SCALE) ? value : undefined;
}

const faultOption: OptionCheck = optionsOf<VenueFault>({
  mode: optionalOption(wordOption(SUBMIT_FAULTS)),
  lookup: optionalOption(wordOption(LOOKUP_FAULTS)),
  fraction: optionalOption(
    textOption('a decimal string from "0" to "1"', (text) => parseFraction(text) !== undefined),
  ),
  delayMs: optionalOption(wholeOption({ from: 0, to: 86_400_000 }, " of milliseconds")),
  count: optionalOption(wholeOption({ from: 1 })),
  symbol: optionalOption(nameOption),
  accountId: optionalOption(wholeOption({ from: 1 })),
});

function activeOf({ fraction = "0.5", ...fault }: VenueFault): ActiveFault {
  return { mode: "none", lookup: "none", delayMs: 1_000, ...fault, fraction: parseFraction(fraction) ?? 0 };
}

/** The active fault, and the children it has hit. */
export class FaultPlan {
  #fault: ActiveFault | undefined;
  #hit: Set<string> = new Set();
  #hitCount = 0;

  /**
   * Activates another fault. It starts with no children hit. Throws a TypeError or RangeError that names an option of
   * the fault that is unknown or wrong.
   */
  set(fault: VenueFault): void {
    faultOption(fault, "setFault");
    this.#fault = activeOf(fault);
    this.#hit = new Set();
    this.#hitCount = 0;
  }

  /** Forgets a child that is no longer looked up. It still counts as hit. */
  prune(childId: string): void {
    this.#hit.delete(childId);
  }

  /** Returns the fault that hits this child on its way to the venue. */
  onSubmit(child: ChildRequest): ActiveFault | undefined {
    const fault = this.#fault;
    return fault !== undefined && fault.mode !== "none" && this.#hits(fault, child) ? fault : undefined;
  }

  /** Returns the fault that hits a look-up of this child. */
  onLookup(child: ChildRequest): ActiveFault | undefined {
    const fault = this.#fault;
    return fault !== undefined && fault.lookup !== "none" && this.#hits(fault, child) ? fault : undefined;
  }

  #hits(fault: ActiveFault, child: ChildRequest): boolean {
    if (fault.symbol !== undefined && fault.symbol !== child.symbol) return false;
    if (fault.accountId !== undefined && fault.accountId !== child.accountId) return false;
    if (fault.count === undefined || this.#hit.has(child.childId)) return true;
    if (this.#hitCount >= fault.count) return false;
    this.#hitCount += 1;
    this.#hit.add(child.childId);
    return true;
  }
}

/** Returns the fraction of a quantity that a partial fault leaves, rounded down. */
export function fractionOf(quantity: Quantity, { fraction }: ActiveFault): Quantity {
  const denominator = 10n ** BigInt(FRACTION_SCALE);
  return portion(quantity, { numerator: fraction, denominator, rounding: "down" });
}
