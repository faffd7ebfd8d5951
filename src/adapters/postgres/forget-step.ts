import { transposed } from "./append-columns.ts";
import type { Leaving } from "./departures.ts";
import type { LeavingRecord } from "./journal-lifetime.ts";

/** Number of records, and of characters of their texts, that one statement deletes. */
const RECORDS: number = 256;
const CHARACTERS: number = 2 ** 20;

/** Departures that one statement deletes: with their records, or only the rows of one whose records are too many. */
export class ForgetStep {
  readonly #leaving: Leaving[] = [];
  readonly #chains: (readonly LeavingRecord[])[] = [];
  #records = 0;
  #characters = 0;
  #isLong = false;

  /** Adds a departure with its records; "long" leaves them to the sweep. */
  add(leaving: Leaving, chain: readonly LeavingRecord[] | "long"): void {
    this.#leaving.push(leaving);
    this.#chains.push(chain === "long" ? [] : chain);
    if (chain === "long") this.#isLong = true;
    else
      for (const { text } of chain) {
        this.#records++;
        this.#characters += text.length;
      }
  }

  /** Shard of the departures; undefined without any. */
  get shard(): number | undefined {
    return this.#leaving[0]?.shard;
  }

  /** Whether a further departure belongs to another statement. */
  get isFull(): boolean {
    return this.#records >= RECORDS || this.#characters >= CHARACTERS;
  }

  /** All records that leave. */
  get records(): readonly LeavingRecord[] {
    return this.#chains.flat();
  }

  /** Values of the statement after shard and epoch. */
  get values(): readonly unknown[] {
    const rows = this.#leaving.flatMap(({ orders, texts }, departure) =>
      orders.map(({ orderId }, index) => [departure, orderId, texts[index]]),
    );
    const members = this.#leaving.map(({ orders }, departure) => [departure, orders.length]);
    const lists = this.#leaving.flatMap(({ isList, id }, departure) => (isList ? [[departure, id]] : []));
    const records = this.#chains.flatMap((chain, departure) =>
      chain.map(({ sequence }) => [departure, sequence]),
    );
    const highest = this.#leaving
      .flatMap(({ orders }) => orders)
      .reduce((most, { lastSequence }) => Math.max(most, lastSequence), 0);
    return [
      ...[...transposed(rows, 3), ...transposed(members, 2), highest],
      ...[...transposed(lists, 2), ...transposed(records, 2), this.#isLong],
    ];
  }
}
