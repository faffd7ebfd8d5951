import { Worker } from "node:worker_threads";
import type { SweepFailure, SweepResult } from "./sweep-row.ts";
import { type ToWorker, WORKER_PROGRAM } from "./worker-program.ts";

/** Outcome of a set in a worker. `unloaded` says that the module could not be loaded, so that no set could run. */
export type Answer =
  | Readonly<{ result: SweepResult }>
  | Readonly<{ failure: SweepFailure; unloaded?: boolean }>;

/** What all workers of a sweep have in common. */
export type WorkerSettings = Readonly<{
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
