import { invariant } from "../../errors/index.ts";
import type { JournalRecord, ParentOrder } from "../../model/index.ts";

/** Ended orders that leave a store together: one order outside lists, or the legs of a list. All are of one shard. */
export type Departure = Readonly<{
  shard: number;
  /** The rows that leave. */
  orders: readonly ParentOrder[];
  /** Ids of all orders that leave or have left: of the rows, and of legs without one. */
  members: ReadonlySet<number>;
}>;

/** How a departure reads the journal of its shard: a record, undefined if it is missing, and the head's `forgotten`. */
export type ChainSource = Readonly<{
  read: (sequence: number) => JournalRecord | undefined;
  forgotten: number;
}>;

/**
 * Follows the records of a departure from the last one of each order back to its first. Yields each sequence before it
 * reads that record, and returns the sequences in rising order, each once. A chain ends early at a record that is at or below `forgotten`
 * and missing. Throws an InvariantError I54 for any other missing record, and I53 for a record that does not change
 * the order or also changes an order that stays: then nothing may be deleted.
 */
export function* chainsOf(departure: Departure, source: ChainSource): Generator<number, readonly number[]> {
  const { shard, orders } = departure;
  const sequences = new Set<number>();
  for (const { orderId, lastSequence } of orders) {
    for (let sequence = lastSequence; sequence > 0; ) {
      yield sequence;
      const record = source.read(sequence);
      if (record === undefined) {
        invariant(
          sequence <= source.forgotten,
          "I54",
          `record ${sequence} of shard ${shard}, of order ${orderId}, is missing`,
        );
        break;
      }
      sequences.add(sequence);
      sequence = previousIn(record, orderId, departure.members);
    }
  }
  return [...sequences].sort((a, b) => a - b);
}

/** Returns the sequence of the order's preceding record, 0 for none. */
function previousIn(
  { shard, sequence, changes }: JournalRecord,
  orderId: number,
  members: ReadonlySet<number>,
): number {
  const name = `record ${sequence} of shard ${shard}`;
  const other = changes.find((change) => !members.has(change.orderId));
  invariant(other === undefined, "I53", `${name} also changes order ${other?.orderId}, which stays`);
  const previous = changes.find((change) => change.orderId === orderId)?.previous;
  invariant(previous !== undefined, "I53", `${name} does not change order ${orderId}`);
  invariant(previous < sequence, "I53", `${name} names record ${previous} as the one before it`);
  return previous;
}
