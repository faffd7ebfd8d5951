/**
 * A condition of a cancel: ONLY_NEW cancels an order of which nothing is executed, ONLY_PARTIALLY_FILLED one of which
 * something is (convention 3.3).
 */
export type CancelRestriction = "ONLY_NEW" | "ONLY_PARTIALLY_FILLED";
