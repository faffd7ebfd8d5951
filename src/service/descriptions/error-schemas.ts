import { ERRORS, type ErrorBody, type ErrorName, type ErrorRow } from "../../errors/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { integer, type MembersOf, object, text } from "../views/schema.ts";

const ERROR: MembersOf<ErrorBody> = {
  code: integer("Which error it is, a negative number.", { maximum: -1 }),
  msg: text("What is wrong, in the words of the public convention."),
  error: text("The same, and what to do about it."),
};

/** Schemas of refusals. Source: contract, Errors; decision 37. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: object("A refusal, or a failure.", ERROR),
  RateLimitError: object("Too much was asked for.", {
    ...ERROR,
    retryAfter: text("Seconds to wait, as in the header Retry-After.", { pattern: "^[0-9]+$" }),
  }),
};

/** An error as an example: what its body says, with the holes of its texts as they are. */
export function errorExample(name: ErrorName): Readonly<{ summary: string; value: JsonInput }> {
  const { code, text: msg, remedy, retry }: ErrorRow = ERRORS[name];
  const body = { code, msg, error: remedy === "" ? msg : `${msg} ${remedy}` };
  return { summary: `Retry: ${retry}`, value: isRateError(name) ? { ...body, retryAfter: "1" } : body };
}

/** Whether an error tells when to come back. */
export const isRateError = (name: ErrorName): boolean => ERRORS[name].status === 429;
