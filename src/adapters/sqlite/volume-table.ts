import { add, normalise, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { CountedPrint } from "../../model/index.ts";
import type { VolumeState } from "../../ports/index.ts";
import type { Database } from "./driver.ts";

const MINUTE_MS = 60_000;

/** Executed volume: totals of fresh prints, bars of one minute, and the ids that were counted. */
export type VolumeTable = Readonly<{
  /** Counts each print whose symbol and id are not kept yet; expects to run inside a transaction. */
  put(prints: readonly CountedPrint[]): void;
  /** Totals by symbol, bars by symbol and minute, ids from the one first seen earliest. */
  read(): VolumeState;
  /** Drops bars of minutes that began, and ids first seen, before the time; expects to run inside a transaction. */
  delete(beforeMs: number): void;
}>;

/** Quantities by symbol. */
type Sums = Map<string, Quantity>;

/** The statements of executed volume. */
export function volumeTable(database: Database): VolumeTable {
  const dropBars = database.prepare<[beforeMs: number]>("DELETE FROM volume_bars WHERE minute_ms < ?");
  const dropPrints = database.prepare<[beforeMs: number]>("DELETE FROM prints WHERE seen_at_ms < ?");
  return {
    put: volumeWriter(database),
    read: volumeReader(database),
    delete(beforeMs) {
      dropBars.run(beforeMs);
      dropPrints.run(beforeMs);
    },
  };
}

/** Sums up a batch first, so that a total and a bar are written once however many prints they get. */
function volumeWriter(database: Database): VolumeTable["put"] {
  const see = database.prepare<[symbol: string, id: string, seenAtMs: number]>(
    "INSERT INTO prints (symbol, id, seen_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const total = database
    .prepare<[symbol: string], string>("SELECT total FROM volume_totals WHERE symbol = ?")
    .pluck();
  const putTotal = database.prepare<[symbol: string, total: string]>(
    `INSERT INTO volume_totals (symbol, total) VALUES (?, ?)
     ON CONFLICT (symbol) DO UPDATE SET total = excluded.total`,
  );
  const bar = database
    .prepare<[minuteMs: number, symbol: string], string>(
      "SELECT quantity FROM volume_bars WHERE minute_ms = ? AND symbol = ?",
    )
    .pluck();
  const putBar = database.prepare<[minuteMs: number, symbol: string, quantity: string]>(
    `INSERT INTO volume_bars (minute_ms, symbol, quantity) VALUES (?, ?, ?)
     ON CONFLICT (minute_ms, symbol) DO UPDATE SET quantity = excluded.quantity`,
  );
  return (prints) => {
    const fresh: Sums = new Map();
    const minutes = new Map<number, Sums>();
    for (const print of prints) {
      if (see.run(print.symbol, print.id, print.seenAtMs).changes === 0) continue;
      if (print.fresh) addTo(fresh, print);
      const minuteMs = Math.floor(print.timeMs / MINUTE_MS) * MINUTE_MS;
      const bars: Sums = minutes.get(minuteMs) ?? new Map();
      addTo(bars, print);
      minutes.set(minuteMs, bars);
    }
    for (const [symbol, sum] of fresh) putTotal.run(symbol, textOf(add(quantityOf(total.get(symbol)), sum)));
    for (const [minuteMs, bars] of minutes) {
      for (const [symbol, sum] of bars)
        putBar.run(minuteMs, symbol, textOf(add(quantityOf(bar.get(minuteMs, symbol)), sum)));
    }
  };
}

function volumeReader(database: Database): VolumeTable["read"] {
  const totals = database.prepare<[], { symbol: string; total: string }>(
    "SELECT symbol, total FROM volume_totals ORDER BY symbol",
  );
  const bars = database.prepare<[], { symbol: string; minuteMs: number; quantity: string }>(
    "SELECT symbol, minute_ms AS minuteMs, quantity FROM volume_bars ORDER BY symbol, minute_ms",
  );
  const prints = database.prepare<[], VolumeState["prints"][number]>(
    "SELECT symbol, id, seen_at_ms AS seenAtMs FROM prints ORDER BY seen_at_ms, symbol, id",
  );
  return database.transaction(
    (): VolumeState => ({
      totals: totals.all().map(({ symbol, total }) => ({ symbol, total: quantityOf(total) })),
      bars: bars.all().map((bar) => ({ ...bar, quantity: quantityOf(bar.quantity) })),
      prints: prints.all(),
    }),
  );
}

function addTo(sums: Sums, { symbol, quantity }: CountedPrint): void {
  sums.set(symbol, add(sums.get(symbol) ?? ZERO_QUANTITY, quantity));
}

/** Sums are kept as text, because they may lie beyond what SQLite's integers hold. */
const textOf = (sum: Quantity): string => String(sum);

const quantityOf = (text = "0"): Quantity => normalise(BigInt(text)) as Quantity;
