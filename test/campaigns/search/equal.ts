import { ExecutionIds } from "../../../src/model/index.ts";

/** Compares two values of plain data, member by member; a member that is undefined is absent. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof ExecutionIds) return b instanceof ExecutionIds && equal([...a], [...b]);
  const names = namesIn(a);
  if (names.length !== namesIn(b).length) return false;
  return names.every((name) => equal(a[name as never], b[name as never]));
}

const namesIn = (value: object): readonly string[] =>
  Object.keys(value).filter((name) => value[name as never] !== undefined);
