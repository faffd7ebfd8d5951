import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { codeOf } from "../../../src/adapters/sqlite/keys.ts";
import { endedOrder, part, sampleRecords } from "../../store/rules/samples.ts";
import {
  canBackUp,
  damageRow,
  executeOn,
  indexJournal,
  recordKey,
  type TemporaryPlace,
  temporaryPlace,
  writeRows,
} from "./temporary-place.ts";

let place: TemporaryPlace;
let backup = "";
beforeEach(async () => {
  place = temporaryPlace();
  backup = join(place.directory, "backup.db");
  const store = openSqliteStore({ path: place.path });
  await store.acquire();
  const ended = [endedOrder({ orderId: -771 })];
  await store.append({
    shards: [part(3, 1, { records: sampleRecords(3, 1, 20), ended })],
  });
  await store.writeSnapshot({
    shard: 3,
    sequence: 10,
    counter: 9,
    parents: [],
  });
  // The last record waits for the index.
  indexJournal(place.path);
  await store.acquire();
  await store.append({
    shards: [part(3, 2, { records: sampleRecords(3, 21, 21) })],
  });
  await backupSqliteStore({ path: place.path, to: backup });
  await store.close();
});
afterEach(() => place.remove());

const ENDED = "ended 0000000000000001 0000000000000771";
const SEVENTH = codeOf(recordKey(3, 7)) ?? "";
const sql = (text: string) => (path: string) => executeOn(path, text);
const rows = (...changed: readonly (readonly [key: string, value?: string])[]) => {
  return (path: string) => writeRows(path, changed);
};

const DAMAGES: readonly (readonly [what: string, damage: (path: string) => void, found: RegExp])[] = [
  ["a record", sql("UPDATE journal SET value = replace(value, 'PLACE', 'PLACX')"), /checksum does not match/],
  ["a lost record", rows([recordKey(3, 7)]), /names 1 records that are not stored/],
  [
    "an ended order",
    (path) => damageRow(path, ENDED, (text) => text.replace("BTC", "BTX")),
    /checksum does not match/,
  ],
  ["a lost ended order", rows([ENDED]), /ended orders of account 1 is wrong by -1/],
  [
    "a lost client id",
    rows(["name 0000000000000001 c771"]),
    /row "name 0000000000000001 c771" of order -771/,
  ],
  ["a number of ended orders", rows(["count 0000000000000001", "7"]), /of account 1 is wrong by -6/],
  [
    "a snapshot",
    (path) => damageRow(path, "snapshot 003", (text) => text.replace("10 9", "10 8")),
    /checksum does not match/,
  ],
  [
    "a lost snapshot of a shard of which records have left",
    rows(["snapshot 003"], ["forgotten 003", "5"]),
    /records up to 5 of shard 3 have left, and its snapshot ends with record 0/,
  ],
  [
    "a mark of records that have left",
    rows(["forgotten 003", "15"]),
    /records up to 15 of shard 3 have left, and its snapshot ends with record 10/,
  ],
  [
    "a lost index entry",
    sql(`DELETE FROM journal_index WHERE code = '${SEVENTH}'`),
    /index of the journal is wrong/,
  ],
  [
    "an index entry",
    sql(`UPDATE journal_index SET position = 3 WHERE code = '${SEVENTH}'`),
    /index of the journal is wrong/,
  ],
  ["the end of the index", sql("UPDATE heads SET value = '9 21 99' WHERE key = ''"), /ahead of the journal/],
  [
    "the end of the journal",
    sql("UPDATE heads SET value = '9 20 20' WHERE key = ''"),
    /position 21 instead of 20/,
  ],
  ["a lost last record", rows([recordKey(3, 21)]), /position 20 instead of 21/],
  ["a head", rows(["head 003", "2 x"]), /the head of a shard is "2 x"/],
  [
    "a record of an impossible sequence",
    sql(`UPDATE journal SET code = '${codeOf(recordKey(3, 2 ** 40))}' WHERE position = 21`),
    /checksum does not match/,
  ],
];

describe.runIf(canBackUp)("damage in a backup", () => {
  it("is none without damage", async () => {
    expect(await verifySqliteStore({ path: backup })).toMatchObject({
      whole: true,
      records: 21,
    });
    await restoreSqliteStore({
      from: backup,
      path: join(place.directory, "restored.db"),
    });
  });

  it.each(DAMAGES)("is found in %s, and such a backup is not restored", async (_, damage, text) => {
    const bad = join(place.directory, "bad.db");
    const restored = join(place.directory, "restored.db");
    copyFileSync(backup, bad);
    damage(bad);
    const found = await verifySqliteStore({ path: bad });
    expect(found.whole).toBe(false);
    expect(found.problemTexts.join("\n")).toMatch(text);
    await expect(restoreSqliteStore({ from: bad, path: restored })).rejects.toMatchObject({
      message: expect.stringContaining("bad.db is damaged"),
      code: "STORE_FILE",
    });
    expect(existsSync(restored)).toBe(false);
  });
});
