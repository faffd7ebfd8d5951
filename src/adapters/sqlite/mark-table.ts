import { normalise, type Price } from "../../decimal/index.ts";
import { InvariantError } from "../../errors/index.ts";
import type { MarketMark, MarketSide } from "../../model/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";

/** The marks of the shards, and the owner of the market journal. Call the methods inside a transaction. */
export type MarkTable = Readonly<{
  /** Takes over the market journal from its owner. Returns the number of the new owner. */
  acquire(): number;
  /** Makes this handle that owner. Called when the takeover is durable. */
  become(owner: number): void;
  /** Returns whether this handle was the last to take over. */
  owns(): boolean;
  /** Throws an InvariantError I60 if a later handle has taken over. */
  requireOwner(): void;
  put(marks: readonly MarketMark[]): void;
  /** Returns the marks of these shards, or without `shards` of all. */
  read(shards?: readonly number[]): readonly MarketMark[];
  delete(marks: readonly MarketMark[]): void;
}>;

type Row = Readonly<{
  symbol: string;
  side: MarketSide;
  shard: number;
  position: number;
  price: string;
  timeMs: number;
  checksum: number;
}>;

/** Prepares the statements for the market journal. */
export function markTable(database: Database): MarkTable {
  const owner = database.prepare<[], number>("SELECT value FROM state WHERE name = 'owner'").pluck();
  const raiseOwner = database.prepare("UPDATE state SET value = value + 1 WHERE name = 'owner'");
  const insert = database.prepare<[string, string, number, number, bigint, number, number]>(
    "INSERT OR REPLACE INTO marks (symbol, side, shard, position, price, time_ms, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const drop = database.prepare<[string, string, number, number]>(
    "DELETE FROM marks WHERE symbol = ? AND side = ? AND shard = ? AND position = ?",
  );
  // A price may exceed the precision of a double, so it is read as text.
  const all = database.prepare<[], Row>(
    `SELECT symbol, side, shard, position, CAST(price AS TEXT) AS price, time_ms AS timeMs, checksum FROM marks
     ORDER BY symbol, side, shard, position`,
  );
  let mine: number | undefined;
  const owns = (): boolean => mine !== undefined && mine === owner.get();
  return {
    acquire() {
      raiseOwner.run();
      return owner.get() ?? 0;
    },
    become(taken) {
      mine = taken;
    },
    owns,
    requireOwner() {
      if (!owns())
        throw new InvariantError("I60", "the market journal belongs to a later owner of the store");
    },
    put(marks) {
      for (const mark of marks) {
        const { symbol, side, shard, position, price, timeMs } = mark;
        insert.run(symbol, side, shard, position, BigInt(price), timeMs, checksumOfMark(mark));
      }
    },
    read(shards) {
      const asked = shards && new Set(shards);
      return all.all().flatMap((row) => (asked?.has(row.shard) === false ? [] : [markOf(row)]));
    },
    delete(marks) {
      for (const { symbol, side, shard, position } of marks) drop.run(symbol, side, shard, position);
    },
  };
}

function checksumOfMark({ symbol, side, shard, position, price, timeMs }: MarketMark): number {
  return checksumOf([symbol, side, shard, position, String(price), timeMs]);
}

function markOf({ checksum, ...row }: Row): MarketMark {
  const mark = { ...row, price: normalise(BigInt(row.price)) as Price };
  requireIntact(checksum, checksumOfMark(mark), () => {
    return `mark ${mark.position} of ${mark.symbol} ${mark.side} in shard ${mark.shard}`;
  });
  return mark;
}
