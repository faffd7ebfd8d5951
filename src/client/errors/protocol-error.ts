import { recognisedAs } from "../../common/index.ts";
import { ClientError } from "./client-error.ts";

/**
 * What is wrong with a reply: it has no body, a body that is too large, or one that is not UTF-8 or not JSON; a member
 * is missing or has the wrong type; the reply is about another order; the server redirects; a page repeats an earlier
 * cursor.
 */
export type ProtocolProblem =
  | "empty"
  | "too large"
  | "not text"
  | "not JSON"
  | "wrong type"
  | "another order"
  | "redirect"
  | "cursor";

/** What is wrong with a reply, and in which member. */
export interface ProtocolFinding {
  readonly problem: ProtocolProblem;
  /** HTTP status of the reply. */
  readonly status: number;
  /** The member that is wrong, such as `orders[3].orderId`. */
  readonly member?: string | undefined;
  /** The wait that the server demands, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A reply that cannot be read. It may come from a proxy between client and service, or from another version of the
 * service.
 *
 * @example
 * ```ts
 * import { ProtocolError } from "managed-orders/client";
 * const error = new ProtocolError({ problem: "not JSON", status: 502 });
 * console.log(error.message); // The reply (HTTP 502) is not JSON.
 * ```
 */
export class ProtocolError extends ClientError implements ProtocolFinding {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("ProtocolError");
  override readonly name = "ProtocolError";
  readonly kind = "protocol";
  readonly problem: ProtocolProblem;
  readonly status: number;
  declare readonly member?: string;
  declare readonly retryAfterMs?: number;

  /** Creates the error of a reply that cannot be read. */
  constructor({ problem, status, member, retryAfterMs }: ProtocolFinding) {
    super(`The reply (HTTP ${status}) ${textOf(problem, member)}.`);
    this.problem = problem;
    this.status = status;
    if (member !== undefined) this.member = member;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

function textOf(problem: ProtocolProblem, member = "body"): string {
  if (problem === "wrong type") return `has no valid '${member}'`;
  if (problem === "redirect") return "is a redirect";
  if (problem === "cursor") return "repeats the cursor of an earlier page";
  return `is ${problem === "another order" ? "about another order" : problem}`;
}
