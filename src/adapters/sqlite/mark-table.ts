import { normalise, type Price } from "../../decimal/index.ts";
import { InvariantError } from "../../errors/index.ts";
import type { MarketMark, MarketSide } from "../../model/index.ts";
import { checksumOf, requireIntact } from "./checksum.ts";
import type { Database } from "./driver.ts";

/** The market journal, and who owns it. Methods expect to run inside a transaction. */
export type MarkTable = Readonly<{
  /** Takes the market journal over from whoever owns it; returns the number of the new owner. */
  acquire(): number;
  /** This handle is that owner; called when the taking over is durable. */
  become(owner: number): void;
  /** Whether this handle was the last to take it over. */
  owns(): boolean;
  /** Throws an InvariantError I60 when a later handle has taken it over. */
  requireOwner(): void;
  put(marks: readonly MarketMark[]): void;
  read(): readonly MarketMark[];
  delete(marks: readonly MarketMark[]): void;
}>;

type Row = Readonly<{
  symbol: string;
  side: MarketSide;
  position: number;
  price: string;
  timeMs: number;
  checksum: number | null;
}>;

/** The statements of the market journal. */
export function markTable(database: Database): MarkTable {
  const owner = database.prepare<[], number>("SELECT value FROM state WHERE name = 'owner'").pluck();
  const raiseOwner = database.prepare("UPDATE state SET value = value + 1 WHERE name = 'owner'");
  const insert = database.prepare<[string, string, number, bigint, number, number]>(
    "INSERT OR REPLACE INTO marks (symbol, side, position, price, time_ms, checksum) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const drop = database.prepare<[string, string, number]>(
    "DELETE FROM marks WHERE symbol = ? AND side = ? AND position = ?",
  );
  // Prices may lie beyond what a double holds; as text they come through whole.
  const all = database.prepare<[], Row>(
    `SELECT symbol, side, position, CAST(price AS TEXT) AS price, time_ms AS timeMs, checksum FROM marks
     ORDER BY symbol, side, position`,
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
        const { symbol, side, position, price, timeMs } = mark;
        insert.run(symbol, side, position, BigInt(price), timeMs, checksumOfMark(mark));
      }
    },
    read: () => all.all().map(markOf),
    delete(marks) {
      for (const mark of marks) drop.run(mark.symbol, mark.side, mark.position);
    },
  };
}

function checksumOfMark({ symbol, side, position, price, timeMs }: MarketMark): number {
  return checksumOf([symbol, side, position, String(price), timeMs]);
}

function markOf({ checksum, ...row }: Row): MarketMark {
  const mark = { ...row, price: normalise(BigInt(row.price)) as Price };
  requireIntact(checksum, checksumOfMark(mark), () => `mark ${mark.position} of ${mark.symbol} ${mark.side}`);
  return mark;
}
