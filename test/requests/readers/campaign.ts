import { isDeepStrictEqual } from "node:util";
import { createRandom } from "../../../src/common/random.ts";
import { OrderError } from "../../../src/errors/index.ts";
import { ACTOR_SET } from "../../../src/requests/actor.ts";
import type { FieldSet } from "../../../src/requests/field-set.ts";
import { PUBLIC_QUERIES } from "../../../src/requests/market-queries.ts";
import { SESSION_ACTS } from "../../../src/requests/methods.ts";
import { LEG_SETS, ORDER_SETS } from "../../../src/requests/order-intent.ts";
import { LIST_KEY, ORDER_KEY } from "../../../src/requests/order-key.ts";
import {
  ALL_ORDERS_PAGE,
  CANCEL_ALL,
  LIST_PAGE,
  OPEN_ORDERS_PAGE,
  ORDER_HISTORY_PAGE,
} from "../../../src/requests/order-pages.ts";
import type { PlainFields } from "../../../src/requests/parameters.ts";
import { NATIVE_SETS } from "../../../src/requests/placement.ts";
import { fieldsFor } from "./inputs.ts";
import { zodReader } from "./oracle.ts";

/** Every reader of a request's fields. */
const SETS: readonly FieldSet<unknown>[] = [
  ...[...ORDER_SETS.values(), ...ORDER_SETS.values(), ...LEG_SETS.values(), ...Object.values(NATIVE_SETS)],
  ACTOR_SET,
  ...[ORDER_KEY.status, LIST_KEY.status, LIST_PAGE, ALL_ORDERS_PAGE, ORDER_HISTORY_PAGE, CANCEL_ALL].map(
    ({ set }) => set,
  ),
  ...[OPEN_ORDERS_PAGE, ...Object.values(PUBLIC_QUERIES), ...Object.values(SESSION_ACTS)].map(
    ({ set }) => set,
  ),
];

const READERS = SETS.map((set) => ({ set, zod: zodReader(set.rules) }));

const nameOf = (field: string): string => `the ${field}`;

/** The result of reading: the values without omitted ones, or all members of the refusal. */
function outcomeOf(read: () => unknown): Readonly<{ taken: boolean; answer: unknown }> {
  try {
    const values = Object.entries(read() as object).filter(([, value]) => value !== undefined);
    return { taken: true, answer: Object.fromEntries(values) };
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    const { reason, code, message, details } = error;
    return { taken: false, answer: { reason, code, message, details } };
  }
}

/** How many inputs were accepted and refused, and the first on which the two readers disagree. */
export type ReadersResult = Readonly<{ taken: number; refused: number; difference: string | undefined }>;

/** Gives fields to every set of rules and to zod; both must return the same values or the same refusal. */
export function compareReaders(seed: number, inputs: number): ReadersResult {
  const random = createRandom(seed);
  let taken = 0;
  for (let count = 0; count < inputs; count++) {
    const { set, zod } = random.pick(READERS);
    const fields = fieldsFor(set, random) as PlainFields;
    const ours = outcomeOf(() => set.read(fields, nameOf));
    const due = outcomeOf(() => zod(fields, nameOf));
    if (ours.taken) taken++;
    if (isDeepStrictEqual(ours, due)) continue;
    const show = (value: unknown): string =>
      JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one));
    const difference = `input ${count}: ${show(fields)}\nread as ${show(ours)}\nzod says ${show(due)}`;
    return { taken, refused: count - taken, difference };
  }
  return { taken, refused: inputs - taken, difference: undefined };
}
