import { Worker } from "node:worker_threads";
import type { SweepFailure, SweepResult } from "./options.ts";

/** Outcome of a set in a worker. `unloaded` says that the module could not be loaded, so that no set could run. */
type Answer = Readonly<{ result: SweepResult }> | Readonly<{ failure: SweepFailure; unloaded?: boolean }>;

/** What all workers of a sweep have in common. */
type WorkerSettings = Readonly<{
  module: string;
  timeoutMs: number;
  execArgv: readonly string[] | undefined;
}>;

/** A set that a worker runs. */
type Running = Readonly<{ index: number; end: (answer: Answer) => void }>;

/** One worker thread. It starts with its first set, and again with the next one after it has ended. */
export class SweepWorker {
  readonly #settings: WorkerSettings;
  #worker: Worker | undefined;
  #running: Running | undefined;
  #isClosed = false;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  /**
   * Runs a set. Resolves to a failure if it throws, if it takes too long, or if the thread ends. A set whose thread ran
   * another one before runs again in a new thread: that other one may have left the error behind.
   */
  async run(set: ToWorker): Promise<Answer> {
    const isFirst = this.#worker === undefined;
    const answer = await this.#attempt(set);
    const hasEnded = "failure" in answer && answer.failure.kind === "worker";
    return hasEnded && !isFirst && !this.#isClosed ? await this.#attempt(set) : answer;
  }

  #attempt(set: ToWorker): Promise<Answer> {
    const { timeoutMs } = this.#settings;
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        this.#running = undefined;
        resolve(answer);
      };
      const running = { index: set.index, end };
      const stop = (): void => {
        if (this.#running !== running) return;
        this.#stop(failed("timeout", "TimeoutError", `no result within ${timeoutMs} ms`));
      };
      // If this thread was busy, the answer may be there and wait to be read, which happens after timers.
      const timer = setTimeout(() => setImmediate(stop), timeoutMs);
      this.#running = running;
      this.#worker ??= this.#start();
      this.#worker.postMessage(set);
    });
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#isClosed = true;
    this.#stop(failed("worker", "AbortError", "the sweep was ended"));
    await worker?.terminate();
  }

  #start(): Worker {
    const { module, execArgv } = this.#settings;
    const options = { eval: true, name: "sweep", workerData: { module } };
    const worker = new Worker(
      WORKER_PROGRAM,
      execArgv === undefined ? options : { ...options, execArgv: [...execArgv] },
    );
    const ended = (name: string, message: string): void => {
      // A thread that was ended here has no say in the set of the next one.
      if (this.#worker === worker) this.#stop(failed("worker", name, message));
    };
    worker.on("message", (message: unknown) => this.#receive(worker, message));
    worker.on("messageerror", ({ name, message }) => ended(name, message));
    let reason: Readonly<{ name: string; message: string }> | undefined;
    worker.on("error", (error: unknown) => {
      reason = error instanceof Error ? error : { name: typeof error, message: String(error) };
    });
    // An error may overtake an answer that was sent before it; all answers are read before the exit is told.
    worker.on("exit", (code) =>
      ended(
        reason?.name ?? "Error",
        `the worker ended${reason ? `: ${reason.message}` : ` with code ${code}`}`,
      ),
    );
    return worker;
  }

  /** Takes the answer of the running set. A module may send messages of its own, which are ignored. */
  #receive(worker: Worker, message: unknown): void {
    if (this.#worker !== worker || this.#running === undefined || !isAnswer(message)) return;
    if (message.index === this.#running.index) this.#running.end(message);
  }

  #stop(failure: Answer): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#running?.end(failure);
    void worker?.terminate();
  }
}

const failed = (kind: SweepFailure["kind"], name: string, message: string): Answer => ({
  failure: { kind, name, message },
});

const isAnswer = (message: unknown): message is Answer & Readonly<{ index: number }> =>
  typeof message === "object" &&
  message !== null &&
  "index" in message &&
  ("result" in message || "failure" in message);

/** What a worker is told: one set. */
type ToWorker = Readonly<{ index: number; seed: number; parameters: unknown }>;

/**
 * The program of a worker, which imports the module once and then runs set after set. It is a text and not a file, so
 * that it needs no place in the package, in a bundle of it or in its sources. It uses nothing of the package: the module
 * imports `simulate` itself. Of a result it sends the small part that a sweep keeps. It runs as CommonJS or, where Node.js
 * got `--input-type=module`, as a module.
 */
const WORKER_PROGRAM = `
const isObject = (value) => typeof value === "object" && value !== null;

async function outcomeOf(run, parameters, context) {
  const outcome = await run(parameters, context);
  const { statistics, hash, counts, figures } = outcome ?? {};
  if (typeof hash !== "string" || !isObject(statistics) || !isObject(statistics.maxDrawdown) ||
      !isObject(statistics.trades) || !isObject(counts))
    throw new TypeError("run must return the result of simulate");
  if (figures !== undefined && !isObject(figures)) throw new TypeError("figures must be an object with values by name");
  for (const [name, figure] of Object.entries(figures ?? {}))
    if (!["string", "number", "boolean"].includes(typeof figure))
      throw new TypeError("figures." + name + " must be a string, a number, true or false");
  return { statistics, hash, counts, ...(figures !== undefined && { figures }) };
}

function failureOf(error) {
  const isError = error instanceof Error;
  const name = isError ? String(error.name) : typeof error;
  const stack = isError && typeof error.stack === "string" ? { stack: error.stack } : {};
  return { kind: "thrown", name, message: isError ? String(error.message) : textOf(error), ...stack };
}

function textOf(error) {
  try {
    return String(error);
  } catch {
    return Object.prototype.toString.call(error); // an object without a prototype
  }
}

import("node:worker_threads").then(({ parentPort, workerData }) => {
  const loading = import(workerData.module).then(({ run }) => {
    if (typeof run === "function") return run;
    throw new TypeError("the module must export a function named run");
  });
  loading.catch(() => undefined);
  parentPort.on("message", async ({ index, seed, parameters }) => {
    let unloaded = true;
    try {
      const run = await loading;
      unloaded = false;
      const result = await outcomeOf(run, parameters, { index, seed });
      parentPort.postMessage({ index, result });
    } catch (error) {
      parentPort.postMessage({ index, failure: failureOf(error), unloaded });
    }
  });
});
`;
