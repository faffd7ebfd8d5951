import { createHash } from "node:crypto";
import type { StoreContents } from "../adapters/shared/index.ts";
import { encodeParent } from "../wire/index.ts";

/** What a store contains, so that two stores can be compared. */
export type ContentsDigest = Readonly<{
  records: number;
  endedOrders: number;
  endedLists: number;
  rejections: number;
  /** Hexadecimal digits that are equal if, and only if, the stores contain the same. Epochs of owners do not count. */
  digest: string;
}>;

/** The sums of hashes are kept in this many bits. */
const MODULUS: bigint = 2n ** 256n;

/**
 * Reads everything of a store and returns its digest: the sum of the SHA-256 of every row, so that the order in which a
 * database returns rows does not matter. Calls `read` with the number of rows read since.
 */
export async function digestOf(
  contents: StoreContents,
  read: (rows: number) => void,
): Promise<ContentsDigest> {
  const sum = new RowSum();
  for (const { shard, sequence, forgotten = 0 } of contents.heads) {
    sum.add("head", [shard, sequence, forgotten]);
    for await (const page of contents.records(shard)) {
      for (const record of page) sum.add("record", [shard, record.sequence, record.text]);
      read(page.length);
    }
    const snapshot = await contents.snapshot(shard);
    if (snapshot !== undefined)
      sum.add("snapshot", [
        shard,
        snapshot.sequence,
        snapshot.counter,
        ...snapshot.parents.map(encodeParent),
      ]);
    for await (const page of contents.ended(shard)) {
      for (const order of page) sum.add("ended", [shard, encodeParent(order)]);
      read(page.length);
    }
  }
  await addLists(contents, sum);
  await addMarket(contents, sum);
  await addRest(contents, sum);
  return {
    records: sum.count("record"),
    endedOrders: sum.count("ended"),
    endedLists: sum.count("list"),
    rejections: sum.count("rejection"),
    digest: sum.digest,
  };
}

async function addLists(contents: StoreContents, sum: RowSum): Promise<void> {
  for await (const page of contents.lists())
    for (const { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs } of page)
      sum.add("list", [listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, ...legs]);
}

async function addMarket(contents: StoreContents, sum: RowSum): Promise<void> {
  for (const { shard, symbol, side, position, price, timeMs } of await contents.marks())
    sum.add("mark", [shard, symbol, side, position, price, timeMs]);
  for (const { symbol, bid, ask, timeMs } of await contents.quotes())
    sum.add("quote", [symbol, bid, ask, timeMs]);
  const { totals, bars, priceBars = [], prints } = await contents.volume();
  for (const { symbol, total } of totals) sum.add("total", [symbol, total]);
  for (const { symbol, minuteMs, quantity } of bars) sum.add("bar", [symbol, minuteMs, quantity]);
  for (const { symbol, lengthMs, startMs, figures } of priceBars)
    sum.add("price-bar", [symbol, lengthMs, startMs, ...sorted(figures)]);
  for (const { symbol, id, seenAtMs } of prints) sum.add("print", [symbol, id, seenAtMs]);
}

async function addRest(contents: StoreContents, sum: RowSum): Promise<void> {
  const numbers = new Map<number, number>();
  for await (const page of contents.rejections())
    for (const rejection of page) {
      const number = (numbers.get(rejection.accountId) ?? 0) + 1;
      numbers.set(rejection.accountId, number);
      sum.add("rejection", [number, ...sorted(rejection)]);
    }
  for await (const page of contents.values()) for (const pair of page) sum.add("value", pair);
  for await (const page of contents.orderCounts())
    for (const { day, accountId, orders } of page) sum.add("orders", [day, accountId, orders]);
  for await (const page of contents.bans())
    for (const { address, untilMs, lengthMs } of page) sum.add("ban", [address, untilMs, lengthMs]);
}

/** Returns the members of an object by name, because two stores need not list them in the same order. */
const sorted = (members: object = {}): readonly unknown[] =>
  Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));

/** A sum of hashes of rows, and the number of rows of each kind. */
class RowSum {
  readonly #counts: Map<string, number> = new Map();
  #sum = 0n;

  add(kind: string, row: readonly unknown[]): void {
    const text = JSON.stringify([kind, ...row], (_key, value: unknown) =>
      typeof value === "bigint" ? `${value}n` : value,
    );
    const hash = createHash("sha256").update(text).digest("hex");
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS;
    this.#counts.set(kind, this.count(kind) + 1);
  }

  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  get digest(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}
