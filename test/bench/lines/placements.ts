import Database from "better-sqlite3";
import type { Engine } from "../../../src/engine/index.ts";
import type { ParentIntent } from "../../../src/model/index.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { intentsOf, openOnSqlite, placeAll, stopIntent } from "../bench-engine.ts";
import type { Line } from "../line.ts";
import { metered } from "../metered.ts";

const PLACEMENTS = 20_000;
/** Rows in one transaction of the peer. */
const BATCH = 64;

/** Returns the texts that the journal stores for these placements. */
async function textsOf(engine: Engine, count: number): Promise<readonly string[]> {
  const { order } = await engine.place({ accountId: 1, intent: stopIntent() });
  const record = (await engine.story(order.orderId))?.records[0];
  if (record === undefined) throw new Error("a placement left no record");
  return new Array<string>(count).fill(encodeRecord(record));
}

/** The upper limit: the same bytes into one table, in batches, with the same durability. */
function insertAll(path: string, texts: readonly string[]): void {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, record TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO raw (record) VALUES (?)");
  const batch = database.transaction((rows: readonly string[]) => {
    for (const row of rows) insert.run(row);
  });
  for (let n = 0; n < texts.length; n += BATCH) batch(texts.slice(n, n + BATCH));
  database.close();
}

/** Measures durable placements with a fixed number in flight at once. */
function placements(inFlight: number, least: number): Line {
  return {
    work: `durable placements, SQLite, ${inFlight} in flight`,
    unit: "placements",
    timedBy: "clock",
    peer: `raw inserts of the same bytes, ${BATCH} a transaction`,
    target: `>= ${least} of raw inserts`,
    reached: (_perSecond, ratio) => ratio >= least,
    async open({ of }) {
      const { engine, folder, close } = await openOnSqlite();
      const count = of(PLACEMENTS);
      const texts = await textsOf(engine, count);
      const intents = (): readonly ParentIntent[] =>
        intentsOf(count, (n) => stopIntent(`${5_000 + (n % 1_000)}.25`));
      await placeAll(engine, intents(), { inFlight });
      return {
        async take(round) {
          const made = intents();
          return {
            ours: await metered(count, () => placeAll(engine, made, { inFlight })),
            peer: await metered(count, () => insertAll(folder.path(`raw-${round}.db`), texts)),
          };
        },
        close,
      };
    },
  };
}

export const placements64: Line = placements(64, 0.5);
export const placements512: Line = placements(512, 0.6);
