import { ExecutionIds } from "../../src/model/index.ts";

/** Whether two values of plain data are the same, member by member; an absent member differs from one that is undefined. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof ExecutionIds) return b instanceof ExecutionIds && equal([...a], [...b]);
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal(a[name as never], b[name as never]));
}
