import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJsonlStore } from "../../examples/jsonl-store/jsonl-store.ts";
import { part, sampleRecords } from "../../src/conformance/order-store/samples.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { bundleProgram } from "../support/bundle-program.ts";

const run = promisify(execFile);

describe("examples/jsonl-store", () => {
  let folder = "";
  let path = "";
  const open: OrderStore[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "jsonl-store-"));
    path = join(folder, "orders.jsonl");
  });
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
    rmSync(folder, { recursive: true });
  });
  const opened = (): OrderStore => {
    const store = openJsonlStore(path);
    open.push(store);
    return store;
  };
  const append = (store: OrderStore, sequence: number, epoch = 1) =>
    store.append({
      shards: [part(0, epoch, { records: sampleRecords(0, sequence, sequence) })],
    });
  const records = (store: OrderStore) => store.readRecords({ shard: 0, after: 0, limit: 9 });

  it("decision SA: its tests pass on node:test, every rule of the suite", async () => {
    const bundle = await bundleProgram("examples/jsonl-store/conformance.ts", "jsonl-store-test");
    const environment = { ...process.env };
    // A test process of node:test that finds this variable reports to its parent in another format.
    delete environment.NODE_TEST_CONTEXT;
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", bundle], {
      env: environment,
    });
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(80);
  });

  it("I01: a line that a dying process left unfinished is skipped; the store continues", async () => {
    const first = opened();
    await first.acquire();
    await append(first, 1);
    await append(first, 2);
    truncateSync(path, readFileSync(path).length - 20);
    const next = opened();
    expect(await records(next)).toEqual(sampleRecords(0, 1, 1));
    await next.acquire();
    expect(await append(next, 2, 2)).toEqual(["durable"]);
    expect(await records(opened())).toEqual(sampleRecords(0, 1, 2));
  });

  it("I53: a damaged line is an error, never a shorter journal", async () => {
    const first = opened();
    await first.acquire();
    for (const sequence of [1, 2]) await append(first, sequence);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"acquire"', '"acquire'));
    await expect(records(opened())).rejects.toThrow(SyntaxError);
    writeFileSync(path, text);
    appendFileSync(path, "not JSON\n");
    await expect(records(opened())).rejects.toThrow(SyntaxError);
  });
});
