import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { JournalPoint } from "../../../src/adapters/sqlite/journal-lifetime.ts";
import type { JournalRecord, ParentOrder } from "../../../src/model/index.ts";
import { endedOrder, part, sampleRecord } from "../../store/rules/samples.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";

const [path = "", archive = "", at, skip = "0"] = process.argv.slice(2);
const SHARD = 3;
const DAY_MS = 86_400_000;
/** So many that the records of a step are written to the archive in more than one piece. */
const ORDERS = 160;

let left = Number(skip);

/** Kills the process at the point that it was started with. */
function probe(point: JournalPoint): void {
  if (point === at && left-- === 0) process.kill(process.pid, "SIGKILL");
}

/** Appends ended orders, and forgets those of the day before, a day at a time, until the process is killed. */
async function main(): Promise<void> {
  const store = openSqliteStore({ path, journal: { prune: true, archive, probe }, ...STORE_THREAD });
  const heads = await store.acquire();
  const { epoch = 0, sequence: last = 0 } = heads[SHARD] ?? {};
  process.stdout.write("ready\n");
  let sequence = last;
  for (let day = Math.floor(last / (3 * ORDERS)); ; day++) {
    const records: JournalRecord[] = [];
    const ended: ParentOrder[] = [];
    for (let count = 0; count < ORDERS; count++) {
      const orderId = -((sequence + 1) * 256 + SHARD);
      for (let step = 0; step < 3; step++) {
        const previous = step === 0 ? 0 : sequence;
        records.push({
          ...sampleRecord(SHARD, ++sequence),
          changes: [{ orderId, previous, facts: [] }],
        });
      }
      ended.push({ ...endedOrder({ orderId, endedAtMs: day * DAY_MS }), lastSequence: sequence });
    }
    await store.append({ shards: [part(SHARD, epoch, { records, ended })] });
    await store.writeSnapshot({ shard: SHARD, sequence, counter: sequence, parents: [] });
    await store.pruneEnded?.({ beforeMs: day * DAY_MS + 1 }, () => true);
  }
}

await main();
