import { isAwaited } from "./awaitable.ts";

/**
 * Returns the known name that a misspelt name most likely means. It differs in letter case, in at most one of three
 * letters, or in its end: a name without its unit is such a case. Returns undefined if no name is that near, and if the
 * nearest was given as well: `Price` beside `price` means no other name.
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  isGiven: (known: string) => boolean = () => false,
): string | undefined {
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const most = mostDifferences(name, candidate);
    // Each letter that one name has more is a difference: most names are ruled out here, even for a very long name.
    if (Math.abs(name.length - candidate.length) > most) continue;
    const differences = differencesOf(name.toLowerCase(), candidate.toLowerCase());
    // Of two equally near names, the one that was not given is meant.
    const weight = isGiven(candidate) ? differences + 0.5 : differences;
    if (weight >= fewest || differences > most) continue;
    nearest = candidate;
    fewest = weight;
  }
  return nearest !== undefined && isGiven(nearest) ? undefined : nearest;
}

const SHORTEST_START = 3;

/** Returns the number of differences up to which a candidate is near. */
function mostDifferences(name: string, candidate: string): number {
  if (name.length >= SHORTEST_START && candidate.startsWith(name)) return candidate.length;
  return Math.max(name.length, candidate.length) / 3;
}

/**
 * Returns how many letters must be added, left out, replaced or swapped with a neighbour to turn one text into another.
 */
function differencesOf(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        at(swapped ? beforeLast : [], column - 2) + 1,
      );
    }
    [beforeLast, last] = [last, next];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

/**
 * Checks a value that a host handed in. Throws an error whose message gives the full name of the option, the problem
 * and what to pass instead: a TypeError for a missing value or one of the wrong type, a RangeError for one of the right
 * type. `names` are the options inside the value.
 */
export type OptionCheck = ((value: unknown, name: string) => void) & { readonly names?: readonly string[] };

/** One check for each option of a type, so that no option is forgotten. */
export type OptionChecks<T> = { readonly [K in keyof T]-?: OptionCheck };

type Bounds = Readonly<{ from?: number; to?: number }>;

const LONGEST_SHOWN = 60;

/** Returns a value as a message may show it: short, on one line, and without the contents of objects. */
function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value);
  if (isAwaited(value)) return "a promise: await it";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** Returns the error for an option that must be something else. */
export function wrongOption(value: unknown, name: string, wanted: string, isRightType = false): Error {
  if (value === undefined) return new TypeError(`${name} is missing: pass ${wanted}`);
  const message = `${name} must be ${wanted}, got ${shown(value)}`;
  return isRightType ? new RangeError(message) : new TypeError(message);
}

const any = (): boolean => true;

function ofType<T>(type: string, wanted: string, fits: (value: T) => boolean = any): OptionCheck {
  return (value, name) => {
    const isRightType = typeof value === type;
    if (!isRightType || !fits(value as T)) throw wrongOption(value, name, wanted, isRightType);
  };
}

const boundsText = ({ from, to }: Bounds): string =>
  to === undefined ? (from === undefined ? "" : ` of at least ${from}`) : ` from ${from ?? 0} to ${to}`;

const isWithin = (
  value: number,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Bounds,
): boolean => value >= from && value <= to;

/** Checks a whole number that a double represents exactly, within bounds that are included. */
export function wholeOption(bounds: Bounds, unit = ""): OptionCheck {
  const wanted = `a whole number${unit}${boundsText(bounds)}`;
  return ofType<number>("number", wanted, (value) => Number.isSafeInteger(value) && isWithin(value, bounds));
}

/** Checks a finite number within bounds that are included. */
export function numberOption(bounds: Bounds, unit = ""): OptionCheck {
  const wanted = `a finite number${unit}${boundsText(bounds)}`;
  return ofType<number>("number", wanted, (value) => Number.isFinite(value) && isWithin(value, bounds));
}

/** Checks true or false. */
export const flagOption: OptionCheck = /* @__PURE__ */ ofType("boolean", "true or false");

/** Checks a text; `wanted` describes it. */
export function textOption(wanted = "a string", fits?: (text: string) => boolean): OptionCheck {
  return ofType<string>("string", wanted, fits);
}

/** Checks a text that is not empty. */
export const nameOption: OptionCheck = /* @__PURE__ */ textOption(
  "a string that is not empty",
  (text) => text !== "",
);

/** Checks a shared secret, and never shows it. */
export const sharedSecretOption: OptionCheck = (value, name) => {
  const wanted = "a string of at least 16 characters";
  if (value === undefined) throw new TypeError(`${name} is missing: pass ${wanted}`);
  const message = `${name} must be ${wanted}; its value is not shown`;
  if (typeof value !== "string") throw new TypeError(message);
  if (value.length < 16) throw new RangeError(message);
};

/** Checks one of some words. */
export function wordOption(words: readonly string[]): OptionCheck {
  return textOption(`one of ${words.join(", ")}`, (text) => words.includes(text));
}

/** Checks a function; `purpose` says what it does. */
export function functionOption(purpose: string): OptionCheck {
  return ofType("function", `a function that ${purpose}`);
}

/** Leaves a value to another check. */
export const uncheckedOption: OptionCheck = any;

/** Checks a value that may be left out. */
export function optionalOption(check: OptionCheck): OptionCheck {
  const { names } = check;
  const unlessAbsent: OptionCheck = (value, name) => {
    if (value !== undefined) check(value, name);
  };
  return names === undefined ? unlessAbsent : Object.assign(unlessAbsent, { names });
}

/** Checks every entry of an array; `wanted` describes the array. */
export function listOption(wanted: string, check: OptionCheck): OptionCheck {
  return (value, name) => {
    if (!Array.isArray(value)) throw wrongOption(value, name, wanted);
    // Unlike forEach, this visits holes too.
    for (const [index, entry] of value.entries()) check(entry, `${name}[${index}]`);
  };
}

/** Checks every value of an object whose names are free; `wanted` describes the object. */
export function recordOption(wanted: string, check: OptionCheck): OptionCheck {
  return (value, name) => {
    if (!isObject(value)) throw wrongOption(value, name, wanted);
    for (const [key, entry] of Object.entries(value)) check(entry, `${name}[${JSON.stringify(key)}]`);
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isAwaited(value);

/** Checks an object and leaves its members to another check; `wanted` describes it. */
export function objectOption(wanted: string): OptionCheck {
  return (value, name) => {
    if (!isObject(value)) throw wrongOption(value, name, wanted);
  };
}

/**
 * Checks an object by one check per option. Refuses a name that is not an option and proposes the nearest one. `open`
 * is for objects into which a host spreads all its parts: names are left alone there, unless they look misspelt or
 * belong inside another option.
 */
export function optionsOf<T>(
  checks: OptionChecks<T>,
  { open = false }: Readonly<{ open?: boolean }> = {},
): OptionCheck {
  const each = Object.entries<OptionCheck>(checks);
  const names = Object.keys(checks);
  const check: OptionCheck = (value, name) => {
    if (!isObject(value)) throw wrongOption(value, name, `an object with ${listed(names)}`);
    for (const given of Object.keys(value))
      if (!names.includes(given)) refuseUnknown(given, { name, value, each, names, open });
    for (const [option, checkOne] of each) checkOne(value[option], `${name}.${option}`);
  };
  return Object.assign(check, { names });
}

type Unknown = Readonly<{
  name: string;
  value: Readonly<Record<string, unknown>>;
  each: readonly (readonly [string, OptionCheck])[];
  names: readonly string[];
  open: boolean;
}>;

function refuseUnknown(given: string, { name, value, each, names, open }: Unknown): void {
  const home = each.find(([, check]) => check.names?.includes(given))?.[0];
  const nearest = nearestName(given, names, (option) => value[option] !== undefined);
  if (open && home === undefined && nearest === undefined) return;
  const problem = `unknown option \`${given}\` of ${name}`;
  if (home !== undefined) throw new TypeError(`${problem}: pass it in ${name}.${home}`);
  if (nearest !== undefined) throw new TypeError(`${problem}; did you mean \`${nearest}\`?`);
  throw new TypeError(`${problem}, which takes ${listed(names)}`);
}

type FunctionNames<T> = {
  [K in keyof T as NonNullable<T[K]> extends (...given: never[]) => unknown
    ? K
    : never]-?: undefined extends T[K] ? "optional" : "required";
};

/**
 * Checks a port: an object with the functions of an interface. Other members are left alone, because a port may be an
 * instance of a host's own class.
 */
export function portOption<T>(type: string, functions: FunctionNames<T>): OptionCheck {
  const members = Object.keys(functions) as (keyof typeof functions & string)[];
  const required = members.filter((member) => functions[member] === "required");
  const wanted = `an object of the type ${type}, with these functions: ${listed(required)}`;
  return (value, name) => {
    if (!isObject(value)) throw wrongOption(value, name, wanted);
    for (const member of members) {
      const given = value[member];
      if (typeof given === "function" || (given === undefined && !required.includes(member))) continue;
      throw wrongOption(given, `${name}.${member}`, `a function of the type ${type}`);
    }
  };
}

/** Returns names joined by commas and "and". */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.slice(-1)}`;
}
