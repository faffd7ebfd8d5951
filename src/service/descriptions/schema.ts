import {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  NATIVE_STATUSES,
  REJECT_REASONS,
  SIDES,
  words,
} from "../../host-answers/index.ts";
import type { ApiState, ListStatusView, OrderStatus } from "../../lifecycle/index.ts";
import {
  type ChildTimeInForce,
  type Contingency,
  type ListKind,
  ORDER_TYPES,
  type TimeInForce,
} from "../../model/index.ts";
import type { StatusReply, Table } from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { JOURNAL_WORDS } from "../../wire/index.ts";

/** The words of each kind of member that is one of a few, named after a member that has them. */
export const WORDS: Readonly<
  Record<
    | ("alert" | "apiState" | "childTimeInForce" | "contingencyType" | "endReason" | "execType" | "side")
    | ("listOrderStatus" | "listStatusType" | "nativeStatus" | "reason" | "rejectReason" | "stalled")
    | ("listKind" | "status" | "system" | "timeInForce" | "type" | "updateType"),
    readonly string[]
  >
> = {
  ...JOURNAL_WORDS,
  apiState: words<ApiState>({
    WAITING: true,
    WORKING: true,
    UNKNOWN: true,
    FILLED: true,
    CANCELED: true,
    EXPIRED: true,
    REJECTED: true,
  }),
  childTimeInForce: words<ChildTimeInForce>({ IOC: true, FOK: true }),
  contingencyType: words<Contingency>({ OCO: true, OTO: true, OTOCO: true }),
  listKind: words<ListKind>({ BRACKET: true, OCA: true }),
  reason: EXECUTION_REASONS,
  execType: EXECUTION_TYPES,
  listOrderStatus: words<ListStatusView["listOrderStatus"]>({ EXECUTING: true, ALL_DONE: true }),
  listStatusType: words<ListStatusView["listStatusType"]>({ EXEC_STARTED: true, ALL_DONE: true }),
  nativeStatus: NATIVE_STATUSES,
  status: words<OrderStatus>({
    NEW: true,
    PARTIALLY_FILLED: true,
    PENDING_NEW: true,
    FILLED: true,
    CANCELED: true,
    EXPIRED: true,
    REJECTED: true,
  }),
  type: ORDER_TYPES,
  rejectReason: REJECT_REASONS,
  side: SIDES,
  system: words<StatusReply["system"]>({ normal: true, degraded: true, draining: true }),
  timeInForce: words<TimeInForce>({ GTC: true, GTD: true }),
  updateType: [...EXECUTION_TYPES, "TRIGGERED", "AMENDED", "ALERT"],
};

/** A member that may be left out. */
type Optional = readonly ["optional", JsonSchema];

/** Members of an object by name. */
export type Members = Readonly<Record<string, Member>>;

/** A member of an object. */
type Member = JsonSchema | Optional;

/** Marks a member as optional. */
export const optional = (schema: JsonSchema): Optional => ["optional", schema];

/** Further keywords of a schema. */
type More = Readonly<Record<string, NonNullable<JsonSchema[string]>>>;

/** Returns the schema of a text. */
export const text = (description: string, more: More = {}): JsonSchema => ({
  type: "string",
  description,
  ...more,
});

/** Returns the schema of one of a few texts. */
export const oneOf = (values: readonly string[], description: string): JsonSchema =>
  text(description, { enum: values });

/** Returns the schema of a decimal as a string. */
export const decimal = (description: string): JsonSchema =>
  text(description, { pattern: "^[0-9]+(\\.[0-9]+)?$" });

/** Returns the schema of a decimal as a string that may be negative. */
export const signedDecimal = (description: string): JsonSchema =>
  text(description, { pattern: "^-?[0-9]+(\\.[0-9]+)?$" });

/** Returns the schema of a whole number of at most 32 bits. */
export const integer = (description: string, more: More = {}): JsonSchema => ({
  type: "integer",
  description,
  ...more,
});

/** Returns the schema of a whole number of at most 53 bits, which every JSON parser reads exactly. */
export const long = (description: string, more: More = {}): JsonSchema =>
  integer(description, { format: "int64", ...more });

const EXACT = "A 64-bit integer: parse it exactly, never as a double.";

/** Returns the schema of a whole number of 64 bits. */
export const int64 = (description: string): JsonSchema => long(`${description} ${EXACT}`);

/** Returns the schema of a time in epoch milliseconds. */
export const time = (description: string): JsonSchema => long(`${description} Epoch milliseconds.`);

/** Returns the schema of true or false. */
export const flag = (description: string): JsonSchema => ({ type: "boolean", description });

/** Returns the schema of one fixed value. */
export const only = (value: string | boolean | number, description: string): JsonSchema => ({
  const: value,
  description,
});

/** Returns the schema of an array whose items have one schema. */
export const list = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});

/** Refers to a schema of the document by name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Refers to one of several schemas of the document. */
export const anyRef = (names: readonly string[]): JsonSchema => ({ oneOf: names.map(ref) });

/** Returns the schema of a value or null. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values, ...rest } = schema;
  return {
    ...rest,
    type: [type as string, "null"],
    ...(values !== undefined && { enum: [...(values as readonly string[]), null] }),
  };
};

/** Returns the schema of an object with these members. It does not forbid further members. */
export function object(description: string, members: Members): JsonSchema {
  const entries = Object.entries(members);
  return {
    type: "object",
    description,
    properties: Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)])),
    required: entries.flatMap(([name, member]) => (isOptional(member) ? [] : [name])),
  };
}

const isOptional = (member: Member): member is Optional => Array.isArray(member);

/** Returns the schema of a member, whether it may be left out or not. */
const schemaOf = (member: Member): JsonSchema => (isOptional(member) ? member[1] : member);

/** A schema for each member of a table. */
export type NotesOf<T extends Table> = { readonly [N in keyof T]: JsonSchema };

/**
 * Returns the members of a table with their schemas, in the order of these; which of them may be left out follows from
 * the table. What no client reads is not in a table and may be described too.
 */
export function described<T extends Table, N extends NotesOf<T>>(
  table: T,
  notes: N,
): Readonly<Record<keyof N, Member>> {
  const entries = Object.entries<JsonSchema>(notes).map(([name, schema]) => [
    name,
    mayBeAbsent(table[name]) ? optional(schema) : schema,
  ]);
  return Object.fromEntries(entries) as Record<keyof N, Member>;
}

/** Returns whether a client reads a reply without a member. */
function mayBeAbsent(member: Table[string] | undefined): boolean {
  try {
    return typeof member === "function" && member(undefined, "") === undefined;
  } catch {
    return false;
  }
}

/** Returns a word with a capital. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
