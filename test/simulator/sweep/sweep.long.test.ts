import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  parameterGrid,
  type SweepOptions,
  type SweepProgress,
  type SweepRow,
  sweep,
  sweepTable,
} from "../../../src/simulator/index.ts";
import { bundleProgram } from "../../support/bundle-program.ts";

const statistics = { profit: "1", maxDrawdown: { fraction: "0" }, trades: { closed: 0 } };
const outcome = `{ statistics: ${JSON.stringify(statistics)}, counts: {}, hash: "h" + parameters.n }`;

/** Returns a module whose `run` has this body. Its parameters are `parameters` and `context`. */
const moduleOf = (body: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`export async function run(parameters, context) { ${body} }`)}`,
  );

const numbered = (count: number): readonly { n: number }[] =>
  Array.from({ length: count }, (_, n) => ({ n }));

const folder = mkdtempSync(join(tmpdir(), "sweep-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quiet = { progress: false } as const;

async function run<P extends Readonly<Record<string, string | number | boolean>>>(
  options: SweepOptions<P>,
): Promise<readonly SweepRow<P>[]> {
  return await sweep({ ...quiet, ...options });
}

describe("sweep", () => {
  it("rows are in the order of the sets, whichever ends first", async () => {
    // Set 0 ends after set 2 has begun, and set 2 begins after set 1 has ended.
    const body = `const channel = new BroadcastChannel("order of sets");
      const heard = (text) => new Promise((resolve) => channel.addEventListener("message", ({ data }) => {
        if (data === "who" && parameters.n === 0) channel.postMessage("here");
        if (data === text) resolve();
      }));
      const waits = [() => heard("go"), () => heard("here"), () => undefined];
      const waiting = waits[parameters.n]();
      channel.postMessage(["here", "who", "go"][parameters.n]);
      await waiting;
      channel.close();
      return ${outcome};`;
    const ended: number[] = [];
    const rows = await run({
      module: moduleOf(body),
      parameters: numbered(3),
      workers: 2,
      onProgress: ({ row }) => ended.push(row.index),
    });
    expect(rows.map(({ index, parameters, result }) => [index, parameters.n, result?.hash])).toEqual(
      numbered(3).map(({ n }) => [n, n, `h${n}`]),
    );
    expect(ended.indexOf(1)).toBeLessThan(ended.indexOf(0));
  });

  it("the seed of a set comes from the seed of the sweep and its parameters alone", async () => {
    const module = moduleOf(`return { ...${outcome}, hash: String(context.seed) };`);
    const hashes = async (seed: number, parameters: readonly { n: number; m: string }[]) =>
      (await run({ module, parameters, seed, workers: 1 })).map((row) => {
        expect(row.result?.hash).toBe(String(row.seed));
        return row.seed;
      });
    const [a, b, c] = [
      { n: 1, m: "x" },
      { n: 2, m: "x" },
      { m: "x", n: 1 },
    ];
    const [first, other, again] = await hashes(1, [a, b, c]);
    expect(first).not.toBe(other);
    expect(again).toBe(first);
    expect(await hashes(1, [b])).toEqual([other]);
    expect(await hashes(2, [a])).not.toEqual([first]);
  });

  it("a set that throws has its failure in its row, and the others have results", async () => {
    const module = moduleOf(
      `if (parameters.n === 1) throw new RangeError("too near"); if (parameters.n === 2) throw "text"; return ${outcome};`,
    );
    const rows = await run({ module, parameters: numbered(4), workers: 2 });
    expect(
      rows.map(({ result, failure }) => result?.hash ?? [failure?.kind, failure?.name, failure?.message]),
    ).toEqual(["h0", ["thrown", "RangeError", "too near"], ["thrown", "string", "text"], "h3"]);
    expect(rows[1]?.parameters).toEqual({ n: 1 });
    expect(rows[1]?.failure?.stack).toContain("too near");
  });

  it.each([
    ["return 5;", "TypeError", "run must return the result of simulate"],
    ["return { ...OUTCOME, counts: { f() {} } };", "DataCloneError", "could not be cloned"],
    [
      "return { statistics: null, counts: null, hash: '' };",
      "TypeError",
      "must return the result of simulate",
    ],
    ["return { statistics: {}, counts: {}, hash: '' };", "TypeError", "must return the result of simulate"],
    ["return { ...OUTCOME, figures: null };", "TypeError", "figures must be an object"],
    ["return { ...OUTCOME, figures: { a: { b: 1 } } };", "TypeError", "figures.a must be a string, a number"],
    ["throw Object.create(null);", "object", "[object Object]"],
  ])("what is not a result is a failure: %s", async (body, name, message) => {
    const module = moduleOf(body.replace("OUTCOME", outcome));
    const rows = await run({ module, parameters: numbered(1) });
    const [row] = rows;
    expect(sweepTable(rows)[0]?.["failure"]).toContain(message);
    expect(row?.failure).toMatchObject({ kind: "thrown", name });
    expect(row?.failure?.message).toContain(message);
  });

  it.each([
    ["data:text/javascript,export const other = 1", "must export a function named run"],
    ["file:///no/such/module.mjs", "Cannot find module"],
    ["data:text/javascript,export const (", "Unexpected"],
    ["data:text/javascript,throw new Error('not today')", "not today"],
  ])("a module that cannot be used ends the sweep at once: %s", async (module, message) => {
    const ended: number[] = [];
    const onProgress = ({ done }: SweepProgress<{ n: number }>): void => void ended.push(done);
    const sweeping = run({ module, parameters: numbered(50), workers: 2, onProgress });
    await expect(sweeping).rejects.toThrow(`sweep.module cannot be used: ${module}: `);
    await expect(sweeping).rejects.toThrow(message);
    expect(ended).toEqual([]);
  });

  it("a module that cannot be loaded any more, later in a sweep, fails its sets only", async () => {
    const path = join(folder, "leaves.mjs");
    await writeFile(
      path,
      `export async function run(parameters) { if (parameters.n === 1) process.exit(3); return ${outcome}; }`,
    );
    const onProgress = (): void => rmSync(path, { force: true });
    const rows = await run({ module: path, parameters: numbered(3), workers: 1, onProgress });
    const [first, ...others] = rows;
    expect(first?.result?.hash).toBe("h0");
    for (const { failure } of others) expect(failure?.message).toContain("leaves.mjs");
  });

  it.each([
    ["an error", "throw new Error('left behind')"],
    ["an exit", "process.exit(4)"],
    ["a rejection", "void Promise.reject(new Error('left behind'))"],
  ])("%s that a set leaves behind fails neither it nor the next one", async (_, leaves) => {
    const body = `const { parentPort } = await import("node:worker_threads");
      if (parameters.n === 0) parentPort.on("message", () => { ${leaves}; });
      return ${outcome};`;
    const rows = await run({ module: moduleOf(body), parameters: numbered(3), workers: 1 });
    expect(rows.map(({ result, failure }) => result?.hash ?? failure)).toEqual(["h0", "h1", "h2"]);
  });

  it("an error right after an answer does not overtake it", async () => {
    const body = `if (parameters.n === 0) setImmediate(() => { throw new Error("after the answer"); });
      return ${outcome};`;
    const rows = await run({ module: moduleOf(body), parameters: numbered(2), workers: 1 });
    expect(rows.map(({ result, failure }) => result?.hash ?? failure)).toEqual(["h0", "h1"]);
  });

  it("a set that ended in time is no timeout, however long this thread was busy", async () => {
    const answered = join(folder, "answered");
    const body = `const { writeFileSync } = await import("node:fs");
      setImmediate(() => writeFileSync(${JSON.stringify(answered)}, ""));
      return ${outcome};`;
    const timeoutMs = 200;
    const startedMs = performance.now();
    const sweeping = run({ module: moduleOf(body), parameters: numbered(1), timeoutMs });
    while (!existsSync(answered) || performance.now() - startedMs < 2 * timeoutMs);
    const [row] = await sweeping;
    expect(row?.failure ?? row?.result?.hash).toBe("h0");
  });

  it.each([
    ["process.exit(3);", "the worker ended with code 3"],
    [
      "setImmediate(() => { throw new Error('later'); }); await new Promise(() => {});",
      "the worker ended: later",
    ],
  ])("a worker that ends fails its set only: %s", async (body, message) => {
    const module = moduleOf(`if (parameters.n === 0) { ${body} } return ${outcome};`);
    const rows = await run({ module, parameters: numbered(3), workers: 1 });
    expect(rows.map(({ result, failure }) => result?.hash ?? [failure?.kind, failure?.message])).toEqual([
      ["worker", message],
      "h1",
      "h2",
    ]);
  });

  it("a set that hangs, even in an endless loop, is ended after its time", async () => {
    const module = moduleOf(`if (parameters.n === 0) for (;;); return ${outcome};`);
    const rows = await run({ module, parameters: numbered(3), workers: 1, timeoutMs: 2_000 });
    expect(rows.map(({ result, failure }) => result?.hash ?? failure)).toEqual([
      { kind: "timeout", name: "TimeoutError", message: "no result within 2000 ms" },
      "h1",
      "h2",
    ]);
  });

  it("hostile input: messages of the module itself are not taken for an answer", async () => {
    const body = `const { parentPort } = await import("node:worker_threads");
      for (const told of [null, 5, {}, { index: 0 }, { index: 7, result: {} }]) parentPort.postMessage(told);
      return ${outcome};`;
    const rows = await run({ module: moduleOf(body), parameters: numbered(1) });
    expect(rows[0]?.result?.hash).toBe("h0");
  });

  it("an aborted signal ends the sweep, also one whose sets hang, with its reason", async () => {
    const module = moduleOf(`if (parameters.n === 1) for (;;); return ${outcome};`);
    const stop = new AbortController();
    const reason = new Error("enough");
    const onProgress = (): void => stop.abort(reason);
    const { signal } = stop;
    await expect(run({ module, parameters: numbered(3), workers: 1, signal, onProgress })).rejects.toBe(
      reason,
    );
    await expect(run({ module, parameters: numbered(3), signal })).rejects.toBe(reason);
  });

  it("a promise of onProgress that rejects ends the sweep, and nothing is left unhandled", async () => {
    const broken = new Error("broken later");
    const onProgress = async (): Promise<never> => await Promise.reject(broken);
    const module = moduleOf(`return ${outcome};`);
    await expect(run({ module, parameters: numbered(3), workers: 2, onProgress })).rejects.toBe(broken);
  });

  it("a list of sets that is changed meanwhile is swept as it was", async () => {
    const parameters = [...numbered(3)];
    const module = moduleOf(`return ${outcome};`);
    const onProgress = (): void => void parameters.pop();
    const rows = await run({ module, parameters, workers: 1, onProgress });
    expect(rows.map(({ result }) => result?.hash)).toEqual(["h0", "h1", "h2"]);
    const holes = [{ n: 0 }];
    holes[2] = { n: 2 };
    await expect(run({ module, parameters: holes })).rejects.toThrow("sweep.parameters[1] is missing");
  });

  it("workers run where Node.js got --input-type=module", async () => {
    const rows = await run({
      module: moduleOf(`return ${outcome};`),
      parameters: numbered(1),
      execArgv: ["--input-type=module"],
    });
    expect(rows[0]?.failure).toBeUndefined();
  });

  it("an error of onProgress ends the sweep", async () => {
    const broken = new Error("broken");
    const onProgress = (): never => {
      throw broken;
    };
    const module = moduleOf(`if (parameters.n === 1) for (;;); return ${outcome};`);
    await expect(run({ module, parameters: numbered(2), workers: 2, onProgress })).rejects.toBe(broken);
  });

  it("progress counts the ended and the failed sets", async () => {
    const seen: SweepProgress<{ n: number }>[] = [];
    const module = moduleOf(`if (parameters.n === 1) throw new Error("no"); return ${outcome};`);
    const onProgress = (progress: SweepProgress<{ n: number }>): void => void seen.push(progress);
    await run({ module, parameters: numbered(3), workers: 1, onProgress });
    expect(seen.map(({ done, failed, total }) => [done, failed, total])).toEqual([
      [1, 0, 3],
      [2, 1, 3],
      [3, 1, 3],
    ]);
    expect(seen.at(-1)?.remainingMs).toBe(0);
    expect(await run({ module, parameters: [] })).toEqual([]);
  });
});

describe("a sweep of simulations", () => {
  let module: URL;
  beforeAll(async () => {
    module = pathToFileURL(
      await bundleProgram("test/simulator/sweep/trailing-strategy.ts", "sweep-strategy"),
    );
  });

  it("rows are the same with one worker and with three, and depend on the seed", async () => {
    const parameters = parameterGrid({ trailingBps: [30, 80, 200], quantity: ["0.5", "1"] });
    const one = await run({ module, parameters, workers: 1, seed: 4 });
    const three = await run({ module, parameters, workers: 3, seed: 4 });
    expect(three).toEqual(one);
    expect(one.map(({ failure }) => failure)).toEqual(parameters.map(() => undefined));
    const other = await run({ module, parameters, workers: 2, seed: 5 });
    expect(other.map(({ result }) => result?.hash)).not.toEqual(one.map(({ result }) => result?.hash));
    const [row] = sweepTable(one);
    expect(row).toMatchObject({ trailingBps: 30, quantity: "0.5", fills: 1, closedTrades: 0 });
    expect(row?.["hash"]).toMatch(/^[0-9a-f]{64}$/);
  });
});
