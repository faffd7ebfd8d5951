import { ERRORS, type ErrorBody, type ErrorName, type ErrorRow } from "../../errors/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { integer, type MembersOf, object, text } from "./schema.ts";

/** Members of the body of every error. */
export const ERROR: MembersOf<ErrorBody> = {
  code: integer("Error code, a negative number.", { maximum: -1 }),
  msg: text("Error message, with the text of the public convention."),
  error: text("The error message, followed by the remedy."),
};

/** Schemas of refusals. Source: contract, Errors; decision 37. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: object("A refusal or a failure.", ERROR),
  RateLimitError: object("A rate limit was exceeded.", {
    ...ERROR,
    retryAfter: text("Seconds to wait before a retry, as in the header Retry-After.", {
      pattern: "^[0-9]+$",
    }),
  }),
};

/** Returns an error as an example: its body, with the placeholders of its texts unfilled. */
export function errorExample(name: ErrorName): Readonly<{ summary: string; value: JsonInput }> {
  const { code, text: msg, remedy, retry }: ErrorRow = ERRORS[name];
  const body = { code, msg, error: remedy === "" ? msg : `${msg} ${remedy}` };
  return { summary: `Retry: ${retry}`, value: isRateError(name) ? { ...body, retryAfter: "1" } : body };
}

/** Returns whether the reply of an error says when to retry. */
export const isRateError = (name: ErrorName): boolean => ERRORS[name].status === 429;
