/**
 * A condition of a cancel: ONLY_NEW cancels the order only if nothing is executed, ONLY_PARTIALLY_FILLED only if
 * something is executed (convention 3.3).
 */
export type CancelRestriction = "ONLY_NEW" | "ONLY_PARTIALLY_FILLED";
