import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { CLIENT_EVENTS } from "./client-event-schemas.ts";
import { COMPAT_SCHEMAS } from "./compat-schemas.ts";
import { ERROR_SCHEMAS } from "./error-schemas.ts";
import { EVENT_PARTS, PRIVATE_EVENTS, PUBLIC_EVENTS } from "./event-schemas.ts";
import { EXECUTION_REPORT } from "./execution-report-schema.ts";
import { MANAGED_SCHEMAS } from "./managed-schemas.ts";
import { MARKET_SCHEMAS } from "./market-schemas.ts";
import { NATIVE_SCHEMAS } from "./native-schemas.ts";

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

/** Returns the schema of parameters as one closed object. */
export function parametersSchema(
  {
    properties,
    required,
    conditions,
  }: Readonly<{
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
    conditions: readonly JsonSchema[];
  }>,
  description: string,
): JsonSchema {
  return {
    type: "object",
    description,
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}

/** Schema of a parameter that is accepted and ignored. */
export const UNREAD: JsonSchema = {
  type: ["string", "integer", "boolean"],
  description: "Accepted for clients of the public convention, and ignored.",
};
