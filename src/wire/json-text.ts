/** What can be written as JSON. A member that is `undefined` is left out. */
export type JsonInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonInput[]
  | { readonly [name: string]: JsonInput | undefined };

/**
 * JSON text without white space, members in the order of insertion, a `bigint` as plain digits, so that 64-bit ids
 * leave exactly. Throws a RangeError for a number that is not finite. Source: decision 2.
 */
export function writeJson(value: JsonInput): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("JSON has no text for a number that is not finite");
      return JSON.stringify(value);
    default:
      return value === null ? "null" : writeMembers(value);
  }
}

function writeMembers(
  value: readonly JsonInput[] | { readonly [name: string]: JsonInput | undefined },
): string {
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`;
  let members = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${members}}`;
}

function isList(value: object): value is readonly JsonInput[] {
  return Array.isArray(value);
}
