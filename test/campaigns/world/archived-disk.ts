import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { daysOf, recordIn } from "../../../src/adapters/sqlite/archive.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { type CreateDisk, memoryDisk } from "../../world/index.ts";

/** A SQLite file with an archive beside it, for worlds whose stores forget. In other worlds, a disk in memory. */
export const archivedDisk: CreateDisk = (forgets) => {
  if (!forgets) return memoryDisk(forgets);
  const folder = mkdtempSync(join(tmpdir(), "world-"));
  const archive = join(folder, "archive");
  const opened: SqliteStore[] = [];
  let calls = 0;
  const counted =
    <Requested extends unknown[], Answer>(call: (...requested: Requested) => Promise<Answer>) =>
    async (...requested: Requested): Promise<Answer> => {
      calls++;
      try {
        return await call(...requested);
      } finally {
        calls--;
      }
    };
  const open = (): OrderStore => {
    const store = openSqliteStore({
      exclusive: false,
      path: join(folder, "orders.db"),
      journal: { prune: true, archive },
    });
    opened.push(store);
    const { writeSnapshot, readSnapshot, readVolume, deleteVolume, deleteEnded, pruneEnded } = store;
    return {
      ...store,
      writeSnapshot: counted(writeSnapshot),
      readSnapshot: counted(readSnapshot),
      readVolume: counted(readVolume),
      deleteVolume: counted(deleteVolume),
      deleteEnded: counted(deleteEnded),
      ...(pruneEnded && { pruneEnded: counted(pruneEnded) }),
    };
  };
  return {
    open,
    reader: open(),
    isBusy: () => calls > 0,
    archived: () => new Set(existsSync(archive) ? textsIn(archive) : []),
    async remove() {
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Reads an archive at once, so that nothing in the world happens meanwhile. */
function* textsIn(archive: string): Generator<string> {
  for (const { compressed, lines } of daysOf(archive)) {
    const parts = [
      compressed === undefined ? "" : gunzipSync(readFileSync(compressed)).toString("utf8"),
      lines === undefined ? "" : readFileSync(lines, "utf8"),
    ];
    for (const line of parts.flatMap((part) => part.split("\n"))) {
      const record = recordIn(line);
      if (record !== undefined) yield record.text;
    }
  }
}
