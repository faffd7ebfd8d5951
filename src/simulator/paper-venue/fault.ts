import type { Scaled } from "../../decimal/index.ts";
import type { ChildRequest } from "../../model/index.ts";

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

/** Number of decimals of {@link VenueFault.fraction}. */
export const FRACTION_SCALE = 20;

/**
 * A fault of the venue and its scope: children of one symbol or account, and only the first `count` of them. `fraction`
 * is in units of 1e-20.
 */
export type VenueFault = Readonly<{
  mode: SubmitFault;
  lookup: LookupFault;
  fraction: Scaled;
  delayMs: number;
  count?: number | undefined;
  symbol?: string | undefined;
  accountId?: number | undefined;
}>;

/** The active fault, and the children it has hit. */
export class FaultPlan {
  #fault: VenueFault | undefined;
  #hit: Set<string> = new Set();
  #hitCount = 0;

  /** Activates another fault. It starts with no children hit. */
  set(fault: VenueFault): void {
    this.#fault = fault;
    this.#hit = new Set();
    this.#hitCount = 0;
  }

  /** Forgets a child that is no longer looked up. It still counts as hit. */
  forget(childId: string): void {
    this.#hit.delete(childId);
  }

  /** Returns the fault that hits this child on its way to the venue. */
  onSubmit(child: ChildRequest): VenueFault | undefined {
    const fault = this.#fault;
    return fault !== undefined && fault.mode !== "none" && this.#hits(fault, child) ? fault : undefined;
  }

  /** Returns the fault that hits a look-up of this child. */
  onLookup(child: ChildRequest): VenueFault | undefined {
    const fault = this.#fault;
    return fault !== undefined && fault.lookup !== "none" && this.#hits(fault, child) ? fault : undefined;
  }

  #hits(fault: VenueFault, child: ChildRequest): boolean {
    if (fault.symbol !== undefined && fault.symbol !== child.symbol) return false;
    if (fault.accountId !== undefined && fault.accountId !== child.accountId) return false;
    if (fault.count === undefined || this.#hit.has(child.childId)) return true;
    if (this.#hitCount >= fault.count) return false;
    this.#hitCount += 1;
    this.#hit.add(child.childId);
    return true;
  }
}
