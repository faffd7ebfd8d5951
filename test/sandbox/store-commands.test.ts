import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { STORE_COMMANDS } from "../../src/sandbox/store-commands.ts";
import {
  recordKey,
  type TemporaryPlace,
  temporaryPlace,
  writeRows,
} from "../adapters/sqlite/temporary-place.ts";
import { part, sampleRecords } from "../store/rules/samples.ts";

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

async function run(command: string, ...argv: readonly string[]) {
  const answer: string[] = [];
  const shown: string[] = [];
  const output = {
    print: (text: string) => void answer.push(text),
    progress: (text: string) => void shown.push(text),
  };
  const code = await STORE_COMMANDS.get(command)?.(argv, output);
  return { code, answer: answer.join(""), shown };
}

describe("managed-orders backup, restore and verify", () => {
  it("copy a store that is in use, make a store of the copy, and read it", async () => {
    const store = openSqliteStore({ path: place.path });
    await store.acquire();
    await store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 9_000) })] });
    const [copy, next] = [join(place.directory, "copy.db"), join(place.directory, "next.db")];
    const backup = await run("backup", place.path, copy);
    expect(backup).toMatchObject({
      code: 0,
      answer: expect.stringMatching(/9000 records, .* MB, at the journal position 9000\n$/),
    });
    expect(backup.shown[0]).toMatch(/^Copying \[#*\.*\] \d+ %$/);
    await store.close();
    const restored = await run("restore", copy, next);
    expect([restored.code, restored.shown.at(-1)]).toEqual([0, ""]);
    const steps = new Set(restored.shown.map((line) => line.replace(/ \[#*\.*\] \d+ %$/, "")));
    expect([...steps]).toEqual(["Verifying", "Pausing", ""]);
    expect(await run("verify", next)).toMatchObject({
      ...{
        code: 0,
        answer: expect.stringContaining("The store is whole.\nRecords since the journal began: 9000;"),
      },
    });
    const earlier = join(place.directory, "earlier.db");
    expect(await run("restore", copy, earlier, "--at", "500", "--no-pause")).toMatchObject({
      ...{ code: 0, answer: expect.stringMatching(/: 500 records, .*, at the journal position 500\n$/) },
    });
    writeRows(
      next,
      [4, 5, 6].map((sequence) => [recordKey(7, sequence)]),
    );
    expect(await run("verify", next)).toMatchObject({
      ...{ code: 1, answer: expect.stringContaining("missing: records 4 to 6 of shard 7") },
    });
  });

  it("take a store also in the form of the setting STORE, and no other kind of store", async () => {
    const store = openSqliteStore({ path: place.path });
    await store.acquire();
    await store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 1) })] });
    await store.close();
    const [copy, next] = [join(place.directory, "copy.db"), join(place.directory, "next.db")];
    expect(await run("backup", `sqlite:${place.path}`, `sqlite:${copy}`)).toMatchObject({ code: 0 });
    expect(await run("restore", `sqlite:${copy}`, `sqlite:${next}`)).toMatchObject({ code: 0 });
    expect(await run("verify", `sqlite:${next}`)).toMatchObject({ code: 0 });
    expect(await run("verify", next)).toMatchObject({ code: 0 });
    for (const other of ["memory:", "postgres://user@127.0.0.1:1/database"])
      await expect(run("verify", other)).rejects.toThrow("take the file of a SQLite store");
  });

  it("I72: nothing shows the password of a URL, whatever stands before it", async () => {
    for (const url of ["Postgres://user:hunter2@host", "pg://user:hunter2@host/db"])
      for (const argv of [
        ["verify", url],
        ["backup", place.path, url],
        ["restore", url, place.path],
        ["store", "copy", place.path, url],
      ])
        await expect(run(argv[0] ?? "", ...argv.slice(1))).rejects.toThrow(/^must be (?!.*hunter2)/);
  });

  it("say how they are used", async () => {
    await expect(run("backup", "one")).rejects.toThrow("usage: managed-orders backup STORE TARGET");
    const usage =
      "usage: managed-orders restore BACKUP STORE [--at POSITION] [--archive FOLDER] [--no-pause]";
    for (const argv of [
      [],
      ["a"],
      ["a", "b", "c"],
      ["a", "b", "--at"],
      ["a", "b", "--at", "-1"],
      ["a", "b", "--archive"],
    ])
      await expect(run("restore", ...argv)).rejects.toThrow(usage);
    await expect(run("verify", "a", "--archive")).rejects.toThrow("usage: managed-orders verify STORE");
  });
});
