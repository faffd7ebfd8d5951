export { ERRORS, type ErrorName, type ErrorRow, type RetryClass } from "./error-table.ts";
export {
  afterDecision,
  type ErrorBody,
  type ErrorDetails,
  InvariantError,
  invariant,
  isDamage,
  OrderError,
  replyAfterDecision,
} from "./order-error.ts";
