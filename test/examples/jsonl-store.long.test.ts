import { execFile } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJsonlStorage } from "../../examples/jsonl-store/jsonl-storage.ts";
import type { Entry, Storage } from "../../src/ports/index.ts";
import { bundleProgram } from "../support/bundle-program.ts";

const run = promisify(execFile);

describe("examples/jsonl-store", () => {
  let folder = "";
  let path = "";
  const open: Storage[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "jsonl-store-"));
    path = join(folder, "orders.jsonl");
  });
  afterEach(async () => {
    for (const storage of open.splice(0)) await storage.close();
    rmSync(folder, { recursive: true });
  });
  const opened = async (): Promise<Storage> => {
    for (const storage of open.splice(0)) await storage.close();
    const storage = await openJsonlStorage(path);
    open.push(storage);
    return storage;
  };
  const put = (storage: Storage, ...puts: readonly Entry[]) =>
    storage.commit([{ conditions: [], puts, deletes: [] }]);
  const entries = async (storage: Storage) =>
    (await storage.range([{ from: " ", before: "~", limit: 9_999 }]))[0];
  const lines = (): number => readFileSync(path, "utf8").split("\n").length - 1;

  it("its tests pass on node:test, every rule of the suite", async () => {
    const bundle = await bundleProgram("examples/jsonl-store/conformance.ts", "jsonl-store-test");
    const environment = { ...process.env };
    // A test process of node:test that finds this variable reports to its parent in another format.
    delete environment.NODE_TEST_CONTEXT;
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", bundle], {
      env: environment,
    });
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(30);
  });

  it("I01: a line that a dying process left unfinished is ignored; the storage continues", async () => {
    const first = await opened();
    await put(first, ["a", "1"]);
    await put(first, ["a", "2"], ["b", "2"]);
    await first.commit([{ conditions: [["a", "1"]], puts: [["a", "3"]], deletes: [] }]);
    expect(lines()).toBe(2);
    truncateSync(path, readFileSync(path).length - 1);
    const next = await opened();
    expect(await entries(next)).toEqual([["a", "1"]]);
    await put(next, ["c", "3"]);
    expect(await entries(await opened())).toEqual([
      ["a", "1"],
      ["c", "3"],
    ]);
  });

  it("I53: a damaged line is an error, never fewer keys", async () => {
    const first = await opened();
    for (const value of ["1", "2"]) await put(first, ["a", value]);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"puts"', '"puts'));
    await expect(openJsonlStorage(path)).rejects.toThrow(SyntaxError);
    writeFileSync(path, text);
    appendFileSync(path, "not JSON\n");
    await expect(openJsonlStorage(path)).rejects.toThrow(SyntaxError);
  });

  it("a file with twice as many lines as keys becomes a shorter one with the same keys", async () => {
    const storage = await opened();
    for (let step = 1; step <= 2_100; step++) await put(storage, [`key ${step % 700}`, `value ${step}`]);
    const stored = await entries(storage);
    expect(stored?.length).toBe(700);
    expect(lines()).toBeLessThan(1_000);
    expect(existsSync(`${path}.new`)).toBe(false);
    await put(storage, ["last", "1"]);
    expect(await entries(await opened())).toEqual([...(stored ?? []), ["last", "1"]]);
  });

  it("a file with many keys is left as it is", async () => {
    const storage = await opened();
    for (let step = 1; step <= 1_100; step++) await put(storage, [`key ${step}`, "1"]);
    expect(lines()).toBe(1_100);
  });

  it("after a write that fails nothing is answered, and the next handle has what the file has", async () => {
    const storage = await opened();
    await put(storage, ["a", "1"]);
    // Writing the shorter file fails: its place is taken by a folder.
    mkdirSync(`${path}.new`);
    const fails = Array.from({ length: 1_000 }, (_, n) => put(storage, ["a", String(n)]));
    const ended = await Promise.allSettled(fails);
    expect(ended.at(-1)?.status).toBe("rejected");
    await expect(storage.get(["a"])).rejects.toThrow();
    rmSync(`${path}.new`, { recursive: true });
    const written = ended.filter(({ status }) => status === "fulfilled").length;
    // The outcome of the commit that was rejected is unknown: its line was written.
    expect(await entries(await opened())).toEqual([["a", String(written)]]);
  });
});
