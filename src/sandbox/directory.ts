import { randomInt } from "node:crypto";
import * as z from "zod";
import type { Account, ApiKey } from "../model/index.ts";
import type { KeyValueStore } from "../ports/index.ts";
import { type JsonInput, readJson, writeJson } from "../wire/index.ts";
import type { AccountSetup } from "./account-setup.ts";
import { InputError } from "./input-error.ts";
import { SettingsError } from "./settings-error.ts";

/** An account as `GET /control/accounts/ID` shows it, without the secret. */
export type AccountEntry = Omit<Setup, "secret">;

/** A key with its secret. */
export type KeyPair = Readonly<{ apiKey: string; secret: string }>;

/** The accounts port of a sandbox: durable accounts and keys. Each account has one key. Reads return synchronously. */
export type Directory = {
  key(apiKey: string): ApiKey | undefined;
  account(accountId: number): Account | undefined;
  /**
   * Creates or replaces an account and resolves when that is durable. Its earlier key becomes invalid immediately
   * (decision 49). Rejects with InputError if the key belongs to another account.
   */
  replaceAccount(setup: AccountSetup): Promise<void>;
  /** Returns an account without its secret. */
  describe(accountId: number): AccountEntry | undefined;
  /**
   * Creates demo account 1 if it is missing and resolves to its key: the given one, else the stored one, else a new
   * one. An existing account keeps everything but its key.
   */
  ensureDemo(given?: KeyPair): Promise<KeyPair>;
  /** Reads what other processes have stored. Rejects if the store fails, and with a SettingsError if it cannot be read. */
  readAgain(): Promise<void>;
};

/** Id of the demo account. */
export const DEMO_ACCOUNT_ID = 1;

/** Key of the stored accounts: one JSON list of setups. */
const ACCOUNTS_KEY = "accounts";

const KEY_LENGTH = 64;
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const randomText = (): string =>
  Array.from({ length: KEY_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");

/** Stored setup of an account. The venue keeps balances and positions. */
type Setup = Omit<AccountSetup, "balances" | "positions">;

const permissions = z.array(z.enum(["READ", "TRADE"]));

const storedSetups: z.ZodType<readonly Setup[]> = z.array(
  z.strictObject({
    accountId: z.number(),
    userId: z.number(),
    apiKey: z.string(),
    secret: z.string(),
    permissions,
    enableDataSharing: z.boolean(),
    ipAllowlist: z.array(z.string()),
    delegates: z.array(z.strictObject({ userId: z.number(), permissions })),
    restricted: z.union([z.boolean(), z.array(z.string())]),
  }),
);

/** Opens the directory stored in `store`. Throws a SettingsError if the stored data cannot be read. */
export async function openDirectory(store: KeyValueStore): Promise<Directory> {
  const directory = new StoredDirectory(store);
  await directory.readAgain();
  return directory;
}

function readSetups(stored: string): readonly Setup[] {
  try {
    return storedSetups.parse(readJson(stored));
  } catch {
    // Unreadable data may contain secrets, and so may the error that describes it.
    throw new SettingsError("the accounts in the store cannot be read: restore the store from a backup");
  }
}

class StoredDirectory implements Directory {
  readonly #store: KeyValueStore;
  #setups: ReadonlyMap<number, Setup> = new Map();
  #owners: ReadonlyMap<string, number> = new Map();
  /** The last change or read. One at a time: a read must not undo a change that was made while it was under way. */
  #last: Promise<void> = Promise.resolve();

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  key(apiKey: string): ApiKey | undefined {
    const setup = this.#setups.get(this.#owners.get(apiKey) ?? 0);
    if (setup === undefined) return undefined;
    const { secret, userId, accountId, permissions, ipAllowlist } = setup;
    return { apiKey, secret, userId, accountId, permissions, ipAllowlist };
  }

  account(accountId: number): Account | undefined {
    const setup = this.#setups.get(accountId);
    if (setup === undefined) return undefined;
    const { userId, enableDataSharing, delegates, restricted } = setup;
    return { accountId, userId, enableDataSharing, delegates, restricted };
  }

  replaceAccount({ balances: _balances, positions: _positions, ...setup }: AccountSetup): Promise<void> {
    return this.#inTurn(() => this.#replace(setup));
  }

  readAgain(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  describe(accountId: number): AccountEntry | undefined {
    const setup = this.#setups.get(accountId);
    if (setup === undefined) return undefined;
    const { secret: _secret, ...view } = setup;
    return view;
  }

  async ensureDemo(given?: KeyPair): Promise<KeyPair> {
    const stored = this.#setups.get(DEMO_ACCOUNT_ID);
    const { apiKey, secret } = given ?? stored ?? { apiKey: randomText(), secret: randomText() };
    const isRetained = stored?.apiKey === apiKey && stored.secret === secret;
    if (!isRetained) await this.replaceAccount({ ...(stored ?? DEMO), apiKey, secret });
    return { apiKey, secret };
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #read(): Promise<void> {
    const stored = await this.#store.get(ACCOUNTS_KEY);
    this.#use(stored === undefined ? [] : readSetups(stored));
  }

  async #replace(setup: Setup): Promise<void> {
    // Another process may have added accounts.
    await this.#read();
    const owner = this.#owners.get(setup.apiKey);
    if (owner !== undefined && owner !== setup.accountId) {
      throw new InputError(`apiKey: already belongs to account ${owner}`);
    }
    const setups = [...new Map(this.#setups).set(setup.accountId, setup).values()];
    await this.#store.set(ACCOUNTS_KEY, writeJson(setups.map(jsonOf)));
    this.#use(setups);
  }

  #use(setups: readonly Setup[]): void {
    this.#setups = new Map(setups.map((setup) => [setup.accountId, setup]));
    this.#owners = ownersOf(this.#setups);
  }
}

/** Returns a setup as JSON. Copies of delegates are needed, because an interface is no JSON object to the compiler. */
const jsonOf = (setup: Setup): JsonInput => ({
  ...setup,
  delegates: setup.delegates.map((delegate) => ({ ...delegate })),
});

const ownersOf = (setups: ReadonlyMap<number, Setup>): ReadonlyMap<string, number> =>
  new Map([...setups.values()].map(({ apiKey, accountId }) => [apiKey, accountId]));

const DEMO: Omit<Setup, "apiKey" | "secret"> = {
  accountId: DEMO_ACCOUNT_ID,
  userId: DEMO_ACCOUNT_ID,
  permissions: ["READ", "TRADE"],
  enableDataSharing: true,
  ipAllowlist: [],
  delegates: [],
  restricted: false,
};
