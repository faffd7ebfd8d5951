import type { Fault } from "./faults.ts";

/** Faults that no plan turns on, each with the reason. */
export const OFF_FOR_NOW: Readonly<Partial<Record<Fault, string>>> = {
  "accounts are nonsense":
    "the service takes a key without a secret for a wrong signature, -1022 in place of -1001",
};
