import { RefusedError, TransportError } from "../../client/index.ts";
import { ControlError } from "./control.ts";

/** What a person should know of an error: the words of the service, in parts. */
export type ErrorWords = Readonly<{
  text: string;
  details: readonly (readonly [name: string, value: string])[];
}>;

const INVALID_SIGNATURE = -1022;
const UNAVAILABLE = 503;
const NOT_SERVING =
  "The sandbox does not serve now: it is starting, another one is active, or its store does not work.";

/** Returns an error in words. Errors of the client contain neither key nor secret. */
export function errorWords(error: unknown): ErrorWords {
  if (error instanceof RefusedError) {
    const words = refusalWords(error);
    return error.status === UNAVAILABLE ? { ...words, text: NOT_SERVING } : words;
  }
  if (error instanceof ControlError) return { text: error.message, details: [] };
  if (error instanceof TransportError && error.reason === "connection")
    return { text: "The sandbox cannot be reached. Does it still run in the terminal?", details: [] };
  return { text: error instanceof Error ? error.message : "Unknown error", details: [] };
}

/** What a refusal says, whether the service or a preview has made it. */
export type RefusalParts = Readonly<{
  msg: string;
  code?: number | undefined;
  field?: string | undefined;
  remedy?: string | undefined;
}>;

/** Returns a refusal in words. */
export function refusalWords({ msg, code, field, remedy }: RefusalParts): ErrorWords {
  const advice = code === INVALID_SIGNATURE ? "Is the secret that of the key?" : remedy;
  const details: [string, string][] = [];
  if (code !== undefined) details.push(["code", String(code)]);
  if (field !== undefined) details.push(["field", field]);
  if (advice !== undefined && advice !== "") details.push(["remedy", advice]);
  return { text: msg, details };
}
