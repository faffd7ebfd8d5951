export { afterDecision, replyAfterDecision } from "./after-decision.ts";
export { ERRORS, type ErrorName, type ErrorRow, type RetryClass } from "./error-table.ts";
export { InvariantError, invariant, isDamage } from "./invariant.ts";
export { type ErrorBody, type ErrorDetails, OrderError } from "./order-error.ts";
