import type { JsonSchema } from "../../requests/schemas/index.ts";
import { text } from "./schema.ts";

const header = (description: string): JsonSchema => ({
  description,
  schema: { type: "integer" },
});

/** Headers of replies by name. Source: decision 42; convention 5.3. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": {
    description: "Id of this request. Quote it in questions to the operator.",
    schema: text("Letters and digits."),
  },
  "X-MBX-USED-WEIGHT": header("Request weight that your IP address has used in the current minute."),
  "X-MBX-USED-WEIGHT-1M": header("The same value as X-MBX-USED-WEIGHT."),
  "X-MBX-ORDER-COUNT-10S": header("New orders of the account in the current ten seconds."),
  "X-MBX-ORDER-COUNT-1D": header("New orders of the account on the current day."),
  "Retry-After": header("Seconds to wait before a retry."),
};

/** Kind of a reply: any reply, one that counts orders, or one that asks the client to wait. */
export type HeaderKind = "every" | "counted" | "limited";

const EVERY = ["X-Request-Id", "X-MBX-USED-WEIGHT", "X-MBX-USED-WEIGHT-1M"];

const NAMES: Readonly<Record<HeaderKind, readonly string[]>> = {
  every: EVERY,
  counted: [...EVERY, "X-MBX-ORDER-COUNT-10S", "X-MBX-ORDER-COUNT-1D"],
  limited: [...EVERY, "Retry-After"],
};

/** Returns references to the headers of a reply. */
export const headerRefs = (kind: HeaderKind): JsonSchema =>
  Object.fromEntries(NAMES[kind].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
