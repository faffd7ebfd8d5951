import type { Account, ApiKey } from "../model/index.ts";
import type { Accounts, Awaitable, Clock } from "../ports/index.ts";
import type { Directory } from "./directory.ts";

/** Age in milliseconds above which the accounts are read again before they are used. */
const LONGEST_AGE_MS = 1_000;

/**
 * Creates the accounts port of a directory that other processes change too. A new account or key counts at once, because
 * what is not known is read again; other changes count within a second. Rejects if the store fails.
 */
export function sharedAccounts(
  directory: Pick<Directory, "key" | "account" | "readAgain">,
  clock: Pick<Clock, "monotonicMs">,
): Accounts {
  return new SharedAccounts(directory, clock);
}

class SharedAccounts implements Accounts {
  readonly #directory: Pick<Directory, "key" | "account" | "readAgain">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** When the last read that succeeded was begun. */
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  /** The read after the present one. */
  #next: Promise<void> | undefined;

  constructor(
    directory: Pick<Directory, "key" | "account" | "readAgain">,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#directory = directory;
    this.#clock = clock;
  }

  key(apiKey: string): Awaitable<ApiKey | undefined> {
    return this.#asOfNow(() => this.#directory.key(apiKey));
  }

  account(accountId: number): Awaitable<Account | undefined> {
    return this.#asOfNow(() => this.#directory.account(accountId));
  }

  #asOfNow<T>(find: () => T | undefined): Awaitable<T | undefined> {
    const known = find();
    if (known !== undefined && this.#clock.monotonicMs() - this.#readMs < LONGEST_AGE_MS) return known;
    return this.#readAgain().then(find);
  }

  /** Resolves after a read that began now or later. One that is under way may be from before the change. */
  #readAgain(): Promise<void> {
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#reading = this.#read();
        return this.#reading;
      });
    return this.#next;
  }

  async #read(): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    await this.#directory.readAgain();
    this.#readMs = begunMs;
  }
}
