import { Worker } from "node:worker_threads";
import { errorMessage, KeyedMutex } from "../../common/index.ts";
import type { CommitPart, Storage } from "../../ports/index.ts";
import { programUrl, type ThreadProgram } from "../threads/index.ts";
import type { Acknowledged } from "./acknowledged.ts";
import { type Database, LOADED_FROM } from "./database.ts";
import type { DatabaseOptions } from "./file.ts";
import { commitsIn } from "./storage.ts";

const PROGRAM: ThreadProgram = {
  places: ["./", "./adapters/sqlite/"],
  names: ["store-writer.js", "store-writer.cjs", "store-writer.mjs"],
};

/** Returns the URL of the program of a store's thread, undefined if there is none. */
export const writerProgram = (): URL | undefined => programUrl(PROGRAM);

/** What the thread of a store begins with: its file, and the descriptor of that which says what was acknowledged. */
export type WriterData = DatabaseOptions & Readonly<{ acknowledged: number; loadedFrom: string }>;

/** A message to the thread: a transaction, or to end. */
export type ToWriter = readonly CommitPart[] | "end";

/**
 * Messages about the transaction that is under way: places of parts that will be left out, sent before it becomes durable;
 * the number of all transactions of the file once it is, 0 if it wrote nothing; or why it failed. The last message says that
 * the file is closed.
 */
export type FromWriter =
  | readonly ["leaves out", places: readonly number[]]
  | readonly ["durable", commits: number]
  | readonly ["failed", error: SentError]
  | readonly ["closed"];

/** An error on its way from the thread: a copy of SQLite's would have no text, and that of another no code. */
export type SentError = Readonly<{ name: string; message: string; code?: string; cause?: SentError }>;

/** Returns the error that was sent. */
function errorFrom({ message, cause, ...more }: SentError): Error {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause: errorFrom(cause) });
  return Object.assign(error, more);
}

/** The transaction that the thread has. */
type UnderWay = Readonly<{
  answers: boolean[];
  resolve: (answers: readonly boolean[]) => void;
  reject: (error: unknown) => void;
}>;

/** What the main thread has open of a file whose transactions a thread writes. */
type ThreadParts = Readonly<{ database: Database; acknowledged: Acknowledged }>;

/** The one key: all turns come one after the other. */
const TURN: readonly string[] = ["turn"];

/**
 * Writes the transactions of a file in a thread of their own. It has one at a time, so that only one outcome is in doubt if it
 * ends: the file says whether that was written, because nobody else writes to it. The others wait here, as many as their
 * callers wait for.
 *
 * Its connection and those of this thread use one copy of SQLite, which keeps the locks of the process: closing one connection
 * does not release those of another.
 */
export class StoreThread {
  readonly #parts: ThreadParts;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #turns: KeyedMutex = new KeyedMutex();
  #commits: number;
  #underWay: UnderWay | undefined;
  /** Why no transaction is accepted any more. */
  #refusal: Error | undefined;

  constructor(program: URL, options: DatabaseOptions, parts: ThreadParts) {
    this.#parts = parts;
    this.#commits = commitsIn(parts.database);
    const workerData: WriterData = {
      ...options,
      acknowledged: parts.acknowledged.file,
      loadedFrom: LOADED_FROM,
    };
    this.#worker = new Worker(program, { workerData });
    // A store that is open does not keep the process alive; a transaction does.
    this.#worker.unref();
    let cause: unknown;
    this.#worker.on("message", (message: FromWriter) => this.#take(message));
    this.#worker.on("error", (error) => {
      cause = error;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#decide(cause);
        resolve();
      });
    });
  }

  /** Writes a transaction, after all that were requested before. */
  commit(parts: readonly CommitPart[]): Promise<readonly boolean[]> {
    return this.#turns.runExclusive(TURN, () => this.#write(parts));
  }

  /** Runs work that writes through the connection of this thread while the other has no transaction. */
  async alone<T>(work: () => T): Promise<T> {
    return await this.#turns.runExclusive(TURN, () => {
      if (this.#refusal !== undefined) throw this.#refusal;
      return work();
    });
  }

  /** Resolves when what was requested before is over and the thread has ended. */
  async close(): Promise<void> {
    await this.#turns.runExclusive(TURN, async () => {
      if (this.#refusal !== undefined) return;
      this.#refusal = new Error("the store is closed");
      this.#worker.ref();
      this.#post("end");
      await this.#ended;
    });
  }

  #write(parts: readonly CommitPart[]): Promise<readonly boolean[]> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#post(parts);
      this.#underWay = { answers: parts.map(() => true), resolve, reject };
      this.#worker.ref();
    });
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWriter): void {
    // What a preload of the host has open in the thread, such as a timer, must not keep it.
    if (message[0] === "closed") return void this.#worker.terminate();
    if (message[0] === "leaves out") {
      for (const place of message[1]) if (this.#underWay !== undefined) this.#underWay.answers[place] = false;
      return;
    }
    const underWay = this.#over();
    if (message[0] === "failed") return underWay?.reject(errorFrom(message[1]));
    if (message[1] > 0) this.#commits = message[1];
    underWay?.resolve(underWay.answers);
  }

  #over(): UnderWay | undefined {
    const underWay = this.#underWay;
    this.#underWay = undefined;
    this.#worker.unref();
    return underWay;
  }

  /** Refuses all further transactions when the thread has ended, and reads in the file what became of the one under way. */
  #decide(cause: unknown): void {
    const why = cause === undefined ? "" : ` (${errorMessage(cause)})`;
    const text = `the store's thread has ended${why}: close the store and open it again`;
    this.#refusal ??= Object.assign(new Error(text, { cause }), { code: "STORE_THREAD" });
    const underWay = this.#over();
    if (underWay === undefined) return;
    const { database, acknowledged } = this.#parts;
    try {
      const commits = commitsIn(database);
      if (commits === this.#commits) return underWay.reject(this.#refusal);
      acknowledged.note(commits);
      underWay.resolve(underWay.answers);
    } catch (error) {
      // Nobody can read what became of it, so nobody may go on as if it had not been written.
      database.close();
      underWay.reject(error);
    }
  }
}

/** Returns a storage whose transactions a thread writes. */
export const inThread = (storage: Storage, thread: StoreThread): Storage => ({
  ...storage,
  commit: (parts) => thread.commit(parts),
  async close() {
    await thread.close();
    await storage.close();
  },
});
