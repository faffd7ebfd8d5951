import { recognisedAs } from "../common/index.ts";
import { ERRORS, type ErrorName, type ErrorRow, type RetryClass } from "./error-table.ts";

/**
 * A broken rule of the system: a bug or corrupted data, never a caller's mistake. The engine freezes everything that it
 * affects and raises an alert.
 *
 * @example
 * ```ts
 * import { InvariantError } from "managed-orders";
 * const broken = new InvariantError("I24", "parent -256 has two outstanding children");
 * ```
 */
export class InvariantError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("InvariantError");
  override readonly name = "InvariantError";
  /** Id of the invariant, as in docs/invariants.md. */
  readonly invariant: string;

  /** Creates the error of an invariant, such as I53, and of what contradicts it. */
  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

/** Returns whether an error says that stored data are damaged or missing, I53 or I54. */
export const isDamage = (error: unknown): error is InvariantError =>
  error instanceof InvariantError && (error.invariant === "I53" || error.invariant === "I54");

/**
 * Throws {@link InvariantError} if `holds` is false. It is active in production too.
 */
export function invariant(holds: boolean, id: string, what: string): asserts holds {
  if (!holds) throw new InvariantError(id, what);
}

/** Values for the placeholders in an error's text. `field` names the invalid parameter. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

/** The body of an error on the wire: the convention's number, the convention's text, and the text with the remedy. */
export type ErrorBody = Readonly<{ code: number; msg: string; error: string }>;

/** Begins the remedy of errors after which nothing was stored. It means nothing to a request that only reads. */
const NOTHING_STORED = "Nothing was stored. ";

const remedyOf = ({ remedy }: ErrorRow, { request }: ErrorDetails): string =>
  request === "read" && remedy.startsWith(NOTHING_STORED) ? remedy.slice(NOTHING_STORED.length) : remedy;

const fill = (template: string, details: ErrorDetails): string =>
  template.replace(/\{(\w+)\}/g, (_hole, name: string) => String(details[name] ?? ""));

function fullText(row: ErrorRow, details: ErrorDetails): string {
  const answer = fill(row.text, details);
  const advice = fill(remedyOf(row, details), details);
  if (advice === "") return answer;
  return /[.!?]$/.test(answer) ? `${answer} ${advice}` : `${answer}. ${advice}`;
}

/**
 * The product's error class for a refusal or failure that a caller can act on. Source: contract "Errors".
 *
 * @example
 * ```ts
 * import { OrderError } from "managed-orders";
 * const error = new OrderError("BAD_SYMBOL");
 * console.log(error.code, error.msg); // -1121 Invalid symbol.
 * ```
 */
export class OrderError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("OrderError");
  override readonly name: string = "OrderError";
  /** Stable name, a key of `ERRORS`. */
  readonly reason: ErrorName;
  /** Values that fill the text; never a secret. */
  readonly details: ErrorDetails;

  /**
   * The `message` is for a reader in process: the convention's text and the remedy, or `options.message`. The wire has
   * {@link msg}.
   */
  constructor(
    reason: ErrorName,
    details: ErrorDetails = {},
    options?: ErrorOptions & Readonly<{ message?: string }>,
  ) {
    super(options?.message ?? fullText(ERRORS[reason], details), options);
    this.reason = reason;
    this.details = details;
  }

  private get row(): ErrorRow {
    return ERRORS[this.reason];
  }

  /** The convention's text, as on the wire. */
  get msg(): string {
    return fill(this.row.text, this.details);
  }

  /** The negative wire number. */
  get code(): number {
    return this.row.code;
  }

  /** The HTTP status of the error. */
  get status(): number {
    return this.row.status;
  }

  /** How the caller may react. */
  get retry(): RetryClass {
    return this.row.retry;
  }

  /** The invalid parameter, if there is one. */
  get field(): string | undefined {
    const field = this.details.field;
    return field === undefined ? undefined : String(field);
  }

  /** A sentence that tells how to fix the problem. */
  get remedy(): string {
    return fill(remedyOf(this.row, this.details), this.details);
  }

  /** Returns the body for the wire. */
  toBody(): ErrorBody {
    const { code, msg } = this;
    return { code, msg, error: fullText(this.row, this.details) };
  }
}

/**
 * Passes on what is read after something was decided. If it cannot be read, rejects with an OrderError -1006, because the
 * failure of the read would say that nothing was executed.
 */
export async function afterDecision<T>(answer: Promise<T | undefined>): Promise<T> {
  const found = await answer.catch((cause: unknown) => {
    throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause });
  });
  if (found === undefined) throw new OrderError("UNEXPECTED_RESPONSE");
  return found;
}

/**
 * Returns what is told of a change that was decided. If it cannot be told, throws an OrderError -1006: the error of the
 * failure would say that nothing was done.
 */
export function replyAfterDecision<T>(reply: () => T): T {
  try {
    return reply();
  } catch (cause) {
    throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause });
  }
}
