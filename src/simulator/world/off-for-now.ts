import type { Fault } from "./faults.ts";

/** Faults that no plan turns on, each with the reason. */
export const OFF_FOR_NOW: Readonly<Partial<Record<Fault, string>>> = {
  "venue says nonsense": "reports are not checked whole yet; an unreadable fill of a closed child is lost",
  "venue tells while an engine opens": "the venue is subscribed before the shards are loaded",
  "accounts are nonsense": "what hosts answer is not checked yet",
  "volume history is nonsense": "what hosts answer is not checked yet",
  "rate limiter is nonsense": "what hosts answer is not checked yet",
  "clock steps back": "the clock port has no monotonic time yet",
  "clock steps forward": "the clock port has no monotonic time yet",
  "operator settles": "the engine has no settleChild yet",
};
