import { InvariantError } from "../../errors/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import { chainsOf, type Departure, legsIn } from "../shared/index.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { FORGETTING } from "./forget-statements.ts";
import type { LeavingRecord } from "./journal-lifetime.ts";
import { textIn, wholeIn } from "./reading.ts";
import { endedIn, recordIn } from "./row-sums.ts";

/**
 * Number of records, and of characters of their texts, up to which those of an order leave in one statement with its row.
 * The others of an order with more leave afterwards, oldest first, when the shard is swept.
 */
const LONGEST_CHAIN = 512;
const LONGEST_TEXTS: number = 4 * 2 ** 20;

/** What a departure is judged by: the highest sequence that has left, the newest snapshot, and the last record. */
export type ShardState = Readonly<{ forgotten: number; snapshot: number; last: number }>;

/** Rows that may leave together, as they were read. `id` is that of the order, or of the list whose row leaves too. */
export type Leaving = Departure & Readonly<{ id: number; isList: boolean; texts: readonly string[] }>;

/** Records of a departure, oldest first; "long" if they are too many for one statement. */
export type Chain = readonly LeavingRecord[] | "long" | InvariantError;

/** Reads what departures of a shard are judged by. */
export async function stateOf(database: Database, shard: number): Promise<ShardState> {
  const [row] = await database.read(FORGETTING.state, [shard]);
  return { forgotten: wholeIn(row, 0), snapshot: wholeIn(row, 1), last: wholeIn(row, 2) };
}

/** Which rows to read, and who is told of one that is damaged: it stays, with those that would leave with it. */
type Asked = Readonly<{ shard: number; ids: readonly number[]; report: (damage: InvariantError) => void }>;

/** Reads orders outside lists. */
export async function singlesOf(database: Database, asked: Asked): Promise<readonly Leaving[]> {
  const { shard, ids } = asked;
  const rows = await database.read(FORGETTING.orders, [shard, ids]);
  return rows.flatMap((row) =>
    intact(asked, () => {
      const order = endedIn(row);
      const members = new Set([order.orderId]);
      return { shard, id: order.orderId, isList: false, orders: [order], texts: [textIn(row, 1)], members };
    }),
  );
}

/** Reads lists with the rows of their legs. */
export async function listsOf(database: Database, asked: Asked): Promise<readonly Leaving[]> {
  const { shard, ids } = asked;
  const legs = await database.read(FORGETTING.legs, [shard, ids]);
  const lists = await database.read(FORGETTING.listRows, [shard, ids]);
  return lists.flatMap((list) =>
    intact(asked, () => {
      const id = wholeIn(list, 0);
      const rows = legs.filter((row) => wholeIn(row, 6) === id);
      const orders = rows.map(endedIn);
      const members = new Set([...legsIn(textIn(list, 1), id), ...orders.map(({ orderId }) => orderId)]);
      return { shard, id, isList: true, orders, texts: rows.map((row) => textIn(row, 1)), members };
    }),
  );
}

function intact(asked: Asked, read: () => Leaving): readonly Leaving[] {
  try {
    return [read()];
  } catch (error) {
    asked.report(damageIn(error));
    return [];
  }
}

/** A walk along the records of one departure, and what it has read. */
type Walk = {
  readonly steps: Generator<number, readonly number[]>;
  readonly records: Map<number, JournalRecord>;
  readonly texts: Map<number, string>;
  characters: number;
  wanted: number | undefined;
  chain: Chain;
};

/**
 * Reads the records of some departures of one shard, side by side: each step of all walks is one statement. A departure
 * with a damaged or missing record has the error in the place of its chain.
 */
export async function chainsIn(
  database: Database,
  leaving: readonly Leaving[],
  { forgotten }: ShardState,
): Promise<readonly Chain[]> {
  const walks = leaving.map((one) => walkOf(one, forgotten));
  const shard = leaving[0]?.shard ?? 0;
  for (const walk of walks) step(walk, shard);
  for (;;) {
    const wanted = walks.flatMap(({ wanted: next }) => (next === undefined ? [] : [next]));
    if (wanted.length === 0) return walks.map(({ chain }) => chain);
    const rows = await database.read(FORGETTING.records, [shard, [...new Set(wanted)]]);
    const read = new Map(rows.map((row) => [wholeIn(row, 0), row]));
    for (const walk of walks) if (walk.wanted !== undefined) take(walk, shard, read.get(walk.wanted));
  }
}

function walkOf(leaving: Leaving, forgotten: number): Walk {
  const records = new Map<number, JournalRecord>();
  const steps = chainsOf(leaving, { read: (sequence) => records.get(sequence), forgotten });
  return { steps, records, texts: new Map(), characters: 0, wanted: undefined, chain: [] };
}

/** Notes the record that a walk asked for, and goes on. */
function take(walk: Walk, shard: number, row: Row | undefined): void {
  const sequence = walk.wanted ?? 0;
  walk.wanted = undefined;
  try {
    if (row !== undefined) {
      const text = textIn(row, 1);
      walk.texts.set(sequence, text);
      walk.characters += text.length;
      walk.records.set(sequence, recordIn(row, shard, 0));
    }
  } catch (error) {
    walk.chain = damageIn(error);
    return;
  }
  step(walk, shard);
}

/** Goes on to the next record that is not known yet. */
function step(walk: Walk, shard: number): void {
  try {
    for (;;) {
      const { done, value } = walk.steps.next();
      if (done === true) {
        walk.chain = value.map((sequence) => ({ shard, sequence, text: walk.texts.get(sequence) ?? "" }));
        return;
      }
      if (walk.records.has(value)) continue;
      if (walk.texts.size >= LONGEST_CHAIN || walk.characters >= LONGEST_TEXTS) walk.chain = "long";
      else walk.wanted = value;
      return;
    }
  } catch (error) {
    walk.chain = damageIn(error);
  }
}

function damageIn(error: unknown): InvariantError {
  if (error instanceof InvariantError) return error;
  throw error;
}
