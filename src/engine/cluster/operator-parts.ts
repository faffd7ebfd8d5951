import { functionOption, type OptionCheck, wrongOption } from "../../common/index.ts";
import { checkedForOperator, Questions } from "../../host-answers/index.ts";
import type { Clock, ShardLeases } from "../../ports/index.ts";
import { clockOption, operatorLeasesOption } from "../../ports/internal.ts";

/** How long the store may take to answer an operator, in milliseconds. */
const ANSWER_MS = 10_000;

/** What an operator's functions need: the leases of the store, such as `store.leases`, and a clock of the operator's own. */
export interface OperatorOptions {
  readonly leases: Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">;
  readonly clock: Clock;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

const signalOption: OptionCheck = (value, name) => {
  if (value !== undefined && !(value instanceof AbortSignal))
    throw wrongOption(value, name, "an AbortSignal");
};

/** Checks of the options that an operator's functions share. */
export const OPERATOR_CHECKS: Readonly<Record<keyof OperatorOptions, OptionCheck>> = {
  leases: operatorLeasesOption,
  clock: clockOption,
  signal: signalOption,
};

/** Checks a function that is called with what happens. */
export const listenerOption: OptionCheck = functionOption("is called with what happens");

/** Returns the leases with every answer read and bounded in time. */
export function checkedLeases({ leases, clock }: OperatorOptions): OperatorOptions["leases"] {
  const telemetry = { event: () => undefined };
  return checkedForOperator(leases, new Questions({ clock, telemetry, timeoutMs: ANSWER_MS }));
}

/** Waits for a time, or until the signal is aborted. */
export function pauseOf({ clock, signal }: OperatorOptions, ms: number): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.schedule(clock.monotonicMs() + ms, end);
    signal?.addEventListener("abort", end);
  });
}
