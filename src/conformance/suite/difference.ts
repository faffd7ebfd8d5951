import { isError } from "../../common/index.ts";

/** The first place at which an answer differs from the expected one, with both values as text. */
export type Difference = Readonly<{ path: string; expected: string; answered: string }>;

const LONGEST_SHOWN = 400;
const DEEPEST_SHOWN = 4;

/** Returns a value as a report shows it: on one line, with the type of each number visible, and of bounded length. */
export function shown(value: unknown): string {
  const text = textOf(value, 0);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function textOf(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, LONGEST_SHOWN));
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (isError(value)) return `${value.name}: ${value.message}`;
  if (depth === DEEPEST_SHOWN) return Array.isArray(value) ? "[…]" : "{…}";
  const plain = plainOf(value);
  if (Array.isArray(plain)) {
    const rest = plain.length > DEEPEST_ITEMS ? [`… ${plain.length} in all`] : [];
    const items = plain.slice(0, DEEPEST_ITEMS).map((item) => textOf(item, depth + 1));
    return `[${[...items, ...rest].join(", ")}]`;
  }
  const members = Object.entries(plain).map(([name, member]) => `${name}: ${textOf(member, depth + 1)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const DEEPEST_ITEMS = 40;

/** Returns what an object means: the ids of an `ExecutionIds`, for example. */
function plainOf(value: object): object {
  if (!isConvertible(value)) return value;
  const converted = value.toJSON();
  return typeof converted === "object" && converted !== null ? converted : { value: converted };
}

const isConvertible = (value: unknown): value is { toJSON: () => unknown } =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function";

/**
 * Compares an answer with the expected one: by value, with exact types, so that `5`, `5n` and `"5"` all differ. A member
 * that is undefined counts as absent. Returns the first difference; undefined if there is none.
 */
export function differenceOf(answered: unknown, expected: unknown, path = ""): Difference | undefined {
  if (answered === expected || Object.is(answered, expected)) return undefined;
  const differs = { path, expected: shown(expected), answered: shown(answered) };
  if (!isObject(answered) || !isObject(expected)) return differs;
  if (Array.isArray(answered) !== Array.isArray(expected)) return differs;
  if (isConvertible(answered) !== isConvertible(expected)) return differs;
  if (isConvertible(expected)) return differenceOf(plainOf(answered), plainOf(expected), path);
  if (Array.isArray(answered) && Array.isArray(expected)) return inArrays(answered, expected, path);
  return inMembers(answered, expected, path);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function inArrays(
  answered: readonly unknown[],
  expected: readonly unknown[],
  path: string,
): Difference | undefined {
  const shorter = Math.min(answered.length, expected.length);
  for (let place = 0; place < shorter; place++) {
    const difference = differenceOf(answered[place], expected[place], `${path}[${place}]`);
    if (difference !== undefined) return difference;
  }
  if (answered.length === expected.length) return undefined;
  return { path: `${path}.length`, expected: shown(expected.length), answered: shown(answered.length) };
}

function inMembers(answered: object, expected: object, path: string): Difference | undefined {
  const [given, wanted] = [new Map(Object.entries(answered)), new Map(Object.entries(expected))];
  for (const name of new Set([...wanted.keys(), ...given.keys()])) {
    const difference = differenceOf(given.get(name), wanted.get(name), `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
