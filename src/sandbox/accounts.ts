import { randomInt } from "node:crypto";
import * as z from "zod";
import type { Account, ApiKey, Delegate, Permission } from "../model/index.ts";
import { parseAmount, parsePosition } from "../paper-exchange/index.ts";
import type { Accounts, Awaitable, Clock, KeyValueStore } from "../ports/index.ts";
import { readAddressBlock } from "../service/internal.ts";
import { type JsonInput, readJson, writeJson } from "../wire/index.ts";
import { decimalText, InputError, positiveId, readInput, SettingsError } from "./input.ts";

/** An account with its one key, as `POST /control/accounts` sets it. */
export type AccountSetup = Readonly<{
  accountId: number;
  userId: number;
  apiKey: string;
  secret: string;
  permissions: readonly Permission[];
  enableDataSharing: boolean;
  ipAllowlist: readonly string[];
  delegates: readonly Delegate[];
  restricted: boolean | readonly string[];
  /** Decimal text by asset. If left out, the balances stay unchanged. */
  balances?: Readonly<Record<string, string>> | undefined;
  /** Signed decimal text by symbol. If left out, the positions stay unchanged. */
  positions?: Readonly<Record<string, string>> | undefined;
}>;

/** An address with a prefix length; a bare address is a block of one. */
const cidr = z.string().transform((text, context) => {
  const block = readAddressBlock(text);
  if (block !== undefined) return block;
  context.addIssue("must be a CIDR block such as 10.0.0.0/8");
  return z.NEVER;
});

const amounts = z
  .record(z.string().regex(/^[A-Z0-9]{1,16}$/), decimalText)
  .superRefine((balances, context) => {
    for (const [asset, text] of Object.entries(balances)) {
      if (parseAmount(asset, text) === undefined)
        context.addIssue({ code: "custom", path: [asset], message: 'must be an amount such as "1000.5"' });
    }
  });

const positions = z.record(z.string().min(1).max(32), decimalText).superRefine((quantities, context) => {
  for (const [symbol, text] of Object.entries(quantities)) {
    if (parsePosition(text) === undefined)
      context.addIssue({ code: "custom", path: [symbol], message: 'must be a quantity such as "-0.25"' });
  }
});

const permissions = z.array(z.enum(["READ", "TRADE"]));

const ipAllowlist = z.array(cidr);
const delegates = z.array(z.strictObject({ userId: positiveId, permissions }));
const restricted = z.union([z.boolean(), z.array(z.string())]);

const setupBody = z.strictObject({
  accountId: positiveId,
  userId: positiveId.optional(),
  apiKey: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "must be 1 to 128 letters, digits, - or _"),
  secret: z.string().regex(/^[!-~]{1,256}$/, "must be 1 to 256 visible ASCII characters"),
  permissions,
  enableDataSharing: z.boolean(),
  ipAllowlist: ipAllowlist.default([]),
  delegates: delegates.default([]),
  balances: amounts.optional(),
  positions: positions.optional(),
  restricted: restricted.default(false),
});

/**
 * Reads the body of `POST /control/accounts`. A missing user id defaults to the account id. Throws InputError, which
 * never repeats the secret.
 */
export function readAccountSetup(body: unknown): AccountSetup {
  const setup = readInput(setupBody, body);
  return { ...setup, userId: setup.userId ?? setup.accountId };
}

/** A key with its secret. */
export type KeyPair = Readonly<{ apiKey: string; secret: string }>;

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

/** What is stored was read by the same rules. A member that is missing has no default: the account had one. */
const storedSetups: z.ZodType<readonly Setup[]> = z.array(
  setupBody
    .omit({ balances: true, positions: true })
    .extend({ userId: positiveId, ipAllowlist, delegates, restricted }),
);

/** Opens the directory stored in `store`. Throws a SettingsError if the stored data cannot be read. */
export async function openDirectory(store: KeyValueStore): Promise<Directory> {
  const directory = new Directory(store);
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

/** The accounts port of a sandbox: durable accounts and keys. Each account has one key. Reads return synchronously. */
export class Directory implements Accounts {
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

  /**
   * Creates or replaces an account and resolves when that is durable. Its earlier key becomes invalid immediately. Rejects
   * with InputError if the key belongs to another account.
   */
  replaceAccount({ balances: _balances, positions: _positions, ...setup }: AccountSetup): Promise<void> {
    return this.#inTurn(() => this.#replace(setup));
  }

  /** Reads what other processes have stored. Rejects if the store fails, and with a SettingsError if it cannot be read. */
  readAgain(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Returns an account as `GET /control/accounts/ID` shows it, without the secret. */
  describe(accountId: number): Omit<Setup, "secret"> | undefined {
    const setup = this.#setups.get(accountId);
    if (setup === undefined) return undefined;
    const { secret: _secret, ...view } = setup;
    return view;
  }

  /**
   * Creates demo account 1 if it is missing and resolves to its key: the given one, else the stored one, else a new
   * one. An existing account keeps everything but its key.
   */
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
    this.#owners = new Map(setups.map(({ apiKey, accountId }) => [apiKey, accountId]));
  }
}

/** Returns a setup as JSON. Copies of delegates are needed, because an interface is no JSON object to the compiler. */
const jsonOf = (setup: Setup): JsonInput => ({
  ...setup,
  delegates: setup.delegates.map((delegate) => ({ ...delegate })),
});

const DEMO: Omit<Setup, "apiKey" | "secret"> = {
  accountId: DEMO_ACCOUNT_ID,
  userId: DEMO_ACCOUNT_ID,
  permissions: ["READ", "TRADE"],
  enableDataSharing: true,
  ipAllowlist: [],
  delegates: [],
  restricted: false,
};

/** Age in milliseconds above which the accounts are read again before they are used. */
const LONGEST_AGE_MS = 1_000;

/**
 * The accounts port of a directory that other processes change too. A new account or key counts at once, because what is
 * not known is read again; other changes count within a second. Rejects if the store fails.
 */
export class SharedAccounts implements Accounts {
  readonly #directory: Directory;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** When the last read that succeeded was begun. */
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  /** The read after the present one. */
  #next: Promise<void> | undefined;

  constructor(directory: Directory, clock: Pick<Clock, "monotonicMs">) {
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
