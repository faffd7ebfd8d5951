import { ERRORS, type ErrorName, type ErrorRow, type RetryClass } from "./error-table.ts";

/** Values for the holes in an error's text; `field` names the parameter at fault. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

/** The body of an error on the wire: convention number, convention text, text with the remedy. */
export type ErrorBody = Readonly<{ code: number; msg: string; error: string }>;

const fill = (template: string, details: ErrorDetails): string =>
  template.replace(/\{(\w+)\}/g, (_hole, name: string) => String(details[name] ?? ""));

/**
 * The one error class of the product: a refusal or failure a caller can act on.
 * Source: contract "Errors", decision 37.
 *
 * @example
 * ```ts
 * import { OrderError } from "managed-orders";
 * const error = new OrderError("BAD_SYMBOL");
 * console.log(error.code, error.message); // -1121 Invalid symbol.
 * ```
 */
export class OrderError extends Error {
  override readonly name = "OrderError";
  /** Stable name, a key of `ERRORS`. */
  readonly reason: ErrorName;
  /** Values that fill the text; never a secret. */
  readonly details: ErrorDetails;

  constructor(reason: ErrorName, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(fill(ERRORS[reason].text, details), options);
    this.reason = reason;
    this.details = details;
  }

  private get row(): ErrorRow {
    return ERRORS[this.reason];
  }

  /** The negative wire number. */
  get code(): number {
    return this.row.code;
  }

  /** The HTTP status that goes with the error. */
  get status(): number {
    return this.row.status;
  }

  /** What the caller may do next. */
  get retry(): RetryClass {
    return this.row.retry;
  }

  /** The parameter at fault, when there is one. */
  get field(): string | undefined {
    const field = this.details.field;
    return field === undefined ? undefined : String(field);
  }

  /** What to do about it, in a sentence. */
  get remedy(): string {
    return fill(this.row.remedy, this.details);
  }

  /** The body that goes on the wire. */
  toBody(): ErrorBody {
    const remedy = this.remedy;
    return {
      code: this.code,
      msg: this.message,
      error: remedy === "" ? this.message : `${this.message} ${remedy}`,
    };
  }
}
