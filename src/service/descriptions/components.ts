import type { RouteScheme } from "../../requests/index.ts";
import type { JsonSchema, RequestSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { CLIENT_EVENTS, COMPAT_SCHEMAS, EXECUTION_REPORT } from "./compat-schemas.ts";
import { ERROR_SCHEMAS } from "./errors.ts";
import { EVENT_PARTS, PRIVATE_EVENTS, PUBLIC_EVENTS } from "./event-schemas.ts";
import { MARKET_SCHEMAS } from "./market-schemas.ts";
import { MANAGED_SCHEMAS, NATIVE_SCHEMAS } from "./order-schemas.ts";

/** Facts that a reader of a description needs before the first request. */
export const ABOUT_SERVICE: string =
  "Managed orders over REST and WebSocket. Prices and quantities are decimal strings. Ids of native orders have 64 bits: parse integers of format int64 exactly, not as doubles. " +
  "A reply with a negative code is a refusal, whatever its HTTP status. After a 5xx, a timeout or apiState UNKNOWN, look the order up by its client id before you send it again.";

/** Explains how to sign a REST request. Source: contract, Authentication. */
export const SIGNING: string =
  "Send the API key in the header X-MBX-APIKEY. The signature is the HMAC-SHA256, in hexadecimal, of the raw query (without the question mark) followed by the raw body, with the secret as key. " +
  "Send it in the header signature, or as the last pair of the query or of a form body; it does not cover that pair. Never send it in a JSON body. " +
  "Send each parameter once. A POST takes its parameters in a JSON body, in a form body or in the query.";

/** Explains how to sign a WebSocket message. Source: contract, Authentication, WebSocket. */
export const SOCKET_SIGNING: string =
  "The signature is the HMAC-SHA256, in hexadecimal, with the secret as key, of all params except the signature, written as name=value, sorted by name and joined by &, with booleans in lower case and other values exactly as sent. Every message is signed; there is no login.";

/** Freshness requirements of each scheme. */
export const FRESHNESS: Readonly<Record<RouteScheme, string>> = {
  NONE: "",
  V2_QUERY: "The signature covers the query. A timestamp is required.",
  LEGACY: "The signature covers the query and the body. A nonce or a timestamp makes each request distinct.",
  V3: "The signature covers the query and the body. A nonce or a timestamp is required.",
};

/** A machine-readable description of an interface: plain JSON, the same for the same arguments. */
export interface Description {
  readonly [member: string]: JsonInput | undefined;
}

const ALL: Readonly<Record<string, JsonSchema>> = {
  ...MANAGED_SCHEMAS,
  ...NATIVE_SCHEMAS,
  ...MARKET_SCHEMAS,
  ...PRIVATE_EVENTS,
  ...EVENT_PARTS,
  ExecutionReport: EXECUTION_REPORT,
  ...PUBLIC_EVENTS,
  ...CLIENT_EVENTS,
  ...ERROR_SCHEMAS,
  ...COMPAT_SCHEMAS,
};

const PREFIX = "#/components/schemas/";

/** Returns the reply and event schemas that a description refers to, by name, including those that they refer to. */
export function schemasUsedIn(description: JsonInput): Readonly<Record<string, JsonSchema>> {
  const used = new Set<string>();
  const visit = (value: JsonInput | undefined): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === "$ref" && typeof member === "string") follow(member);
      else visit(member);
    }
  };
  const follow = (target: string): void => {
    const name = target.slice(PREFIX.length);
    if (!target.startsWith(PREFIX) || used.has(name)) return;
    used.add(name);
    visit(ALL[name]);
  };
  visit(description);
  return Object.fromEntries(Object.entries(ALL).filter(([name]) => used.has(name)));
}

/** Schema of a parameter that is accepted and ignored. */
export const UNREAD: JsonSchema = {
  type: ["string", "integer", "boolean"],
  description: "Accepted for clients of the public convention, and ignored.",
};

/** Returns the schema of parameters as one closed object, with those that are read besides. */
export function parametersSchema(
  { properties, required, unread, conditions }: RequestSchema,
  description: string,
  besides: Pick<RequestSchema, "properties" | "required"> = { properties: {}, required: [] },
): JsonSchema {
  const ignored = Object.fromEntries(unread.map((name) => [name, UNREAD]));
  const all = [...required, ...besides.required];
  return {
    type: "object",
    description,
    properties: { ...properties, ...ignored, ...besides.properties },
    ...(all.length > 0 && { required: all }),
    additionalProperties: false,
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}
