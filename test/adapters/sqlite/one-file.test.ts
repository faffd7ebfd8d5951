import { chmodSync, existsSync, linkSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "one-file-"));
  path = join(folder, "orders.db");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function open(at: string, exclusive = true): SqliteStore {
  const store = openSqliteStore({ path: at, exclusive, busyTimeoutMs: 0 });
  onTestFinished(() => store.close());
  return store;
}

it("I80: opening a data file restricts its permissions to the owner", async () => {
  await openSqliteStore({ path }).close();
  for (const each of [path]) chmodSync(each, 0o644);
  open(path);
  for (const each of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(each).mode & 0o777).toBe(0o600);
});

it("I81: a symbolic link to a store leads to the same lock", () => {
  open(path);
  symlinkSync(path, join(folder, "link.db"));
  expect(() => open(join(folder, "link.db"))).toThrow("orders.db is in use by another process");
});

it("I81: a file with a second hard link is refused, because each name would have its own lock", async () => {
  await openSqliteStore({ path }).close();
  linkSync(path, join(folder, "second.db"));
  expect(() => open(path)).toThrow(
    "orders.db has more than one hard link: remove all of its names except one",
  );
  expect(() => open(join(folder, "second.db"))).toThrow("second.db has more than one hard link");
});

it("the working name of a restore that a crash has left beside the store is removed", async () => {
  await openSqliteStore({ path }).close();
  linkSync(path, `${path}.part`);
  expect(await open(path).acquire()).toHaveLength(256);
  expect(existsSync(`${path}.part`)).toBe(false);
});

it("I81: another opening can still read a store that is locked", async () => {
  await open(path).acquire();
  expect((await open(path, false).head(0)).epoch).toBe(1);
});
