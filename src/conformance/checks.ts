import { isError } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import { problemOf, Questions, UnreadableAnswer } from "../host-answers/index.ts";
import type { Awaitable, Clock } from "../ports/index.ts";

/** The first place at which an answer differs from the expected one, with both values as text. */
type Difference = Readonly<{ path: string; expected: string; answered: string }>;

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

/** What a rule found: the call, the answer that the rule requires, and the answer of the adapter, all as text. */
export type Finding = Readonly<{ call: string; expected: string; answered: string }>;

/** A broken rule as a check reports it. The suite adds the name of the rule and the remedy. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  /** What the check found. */
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`${finding.call}: expected ${finding.expected}, answered ${finding.answered}`);
    this.finding = finding;
  }
}

/** Checks that an answer equals the expected one, by value and with exact types. Throws a {@link Mismatch}. */
export function same(call: string, answered: unknown, expected: unknown): void {
  const difference = differenceOf(answered, expected);
  if (difference === undefined) return;
  const { path } = difference;
  const place = path === "" ? "" : `; first difference at ${path.replace(/^\./, "")}: `;
  throw new Mismatch({
    call,
    expected: shown(expected) + (place && place + difference.expected),
    answered: shown(answered) + (place && place + difference.answered),
  });
}

/**
 * Checks a condition that `expected` describes. `answered` is any value that shows what was found. Throws a
 * {@link Mismatch}.
 */
export function holds(call: string, condition: boolean, expected: string, answered: unknown): void {
  if (!condition) throw new Mismatch({ call, expected, answered: shown(answered) });
}

/**
 * Checks that a call is refused: it rejects, or throws. The error may be any `Error`. Resolves to it. Throws a
 * {@link Mismatch} if the call answers, and passes on one that the call throws.
 */
export async function refused(call: string, run: () => unknown): Promise<Error> {
  let answered: unknown;
  try {
    answered = await run();
  } catch (error) {
    // What a check of the call found, such as no answer in time, is no word of the adapter.
    if (error instanceof Mismatch) throw error;
    if (isError(error)) return error;
    throw new Mismatch({ call, expected: "a rejection with an Error", answered: `threw ${shown(error)}` });
  }
  throw new Mismatch({ call, expected: "a rejection", answered: `resolved to ${shown(answered)}` });
}

/** What became of a call by the time at which every answer must have come. */
export type Outcome =
  | Readonly<{ kind: "answer"; answer: unknown }>
  | Readonly<{ kind: "rejects"; error: unknown }>
  | Readonly<{ kind: "silent" }>;

/**
 * Returns what has become of a call when it is settled, or else when `idle` resolves, by which every answer that is due
 * must have come. Rejects only if `idle` does.
 */
export async function outcomeOf(call: PromiseLike<unknown>, idle: () => Promise<void>): Promise<Outcome> {
  let outcome: Outcome = { kind: "silent" };
  const settled = call.then(
    (answer: unknown) => {
      outcome = { kind: "answer", answer };
    },
    (error: unknown) => {
      outcome = { kind: "rejects", error };
    },
  );
  await Promise.race([settled, idle()]);
  return outcome;
}

/** Returns the answer to a call, or throws its error. Throws a {@link Mismatch} if neither has come when `idle` resolves. */
export async function answerOf<T>(
  call: string,
  answer: PromiseLike<T>,
  idle: () => Promise<void>,
): Promise<T> {
  const outcome = await outcomeOf(answer, idle);
  if (outcome.kind === "rejects") throw outcome.error;
  if (outcome.kind === "answer") return outcome.answer as T;
  throw new Mismatch({
    call,
    expected: "an answer in time",
    answered: "nothing, although `idle` has resolved",
  });
}

/** A clock that stands still: the suite itself decides when an answer is missing. */
const still: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  schedule: () => () => undefined,
  soon: (run) => run(),
};

/** Creates the questions with which the service reads answers, without a deadline. `report` receives what it cannot read. */
export function questionsOf(report: (problem: string) => void): Questions {
  const event = (_level: string, _name: string, { problem }: Readonly<Record<string, unknown>>): void =>
    report(String(problem));
  return new Questions({ clock: still, telemetry: { event }, timeoutMs: 1 });
}

/**
 * Returns the answer to a question of {@link questionsOf}. Throws a {@link Mismatch} for one that the service cannot read,
 * and for none when `idle` resolves. Other errors are thrown as they are.
 */
export async function readable<T>(
  call: string,
  question: () => Awaitable<T>,
  idle: () => Promise<void>,
): Promise<T> {
  try {
    return await answerOf(call, Promise.resolve(question()), idle);
  } catch (error) {
    const cause = error instanceof OrderError ? error.cause : undefined;
    if (!(cause instanceof UnreadableAnswer)) throw error;
    const expected = "an answer that the service can read";
    throw new Mismatch({ call, expected, answered: problemOf(cause) });
  }
}
