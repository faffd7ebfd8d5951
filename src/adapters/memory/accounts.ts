import {
  flagOption,
  listOption,
  nameOption,
  type OptionCheck,
  optionsOf,
  uncheckedOption,
  wholeOption,
  wordOption,
  wrongOption,
} from "../../common/index.ts";
import type { Account, ApiKey, Delegate } from "../../model/index.ts";
import type { Accounts } from "../../ports/index.ts";

/** An account with all its keys. */
export interface AccountEntry {
  readonly account: Account;
  readonly keys: readonly ApiKey[];
}

/** Accounts that can be changed while they are in use. */
export interface MemoryAccounts extends Accounts {
  /**
   * Creates or replaces an account. Its earlier keys become invalid immediately. Throws a RangeError for a key that names
   * another account or already belongs to another account, and a TypeError or RangeError that names a member of the entry
   * that is missing, unknown or wrong.
   */
  put(entry: AccountEntry): void;
}

const id = wholeOption({ from: 1 });
const permissions = listOption("a list of READ and TRADE", wordOption(["READ", "TRADE"]));

const restricted: OptionCheck = (value, name) => {
  if (typeof value === "boolean") return;
  if (!Array.isArray(value)) throw wrongOption(value, name, "true, false or a list of symbols");
  listOption("a list of symbols", nameOption)(value, name);
};

const secret: OptionCheck = (value, name) => {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(`${name} must be a string that is not empty`);
};

const entryOption: OptionCheck = optionsOf<AccountEntry>({
  account: optionsOf<Account>({
    accountId: id,
    userId: id,
    enableDataSharing: flagOption,
    delegates: listOption("a list of delegates", optionsOf<Delegate>({ userId: id, permissions })),
    restricted,
  }),
  keys: listOption(
    "a list of API keys",
    optionsOf<ApiKey>({
      apiKey: nameOption,
      secret,
      userId: id,
      accountId: id,
      permissions,
      ipAllowlist: listOption("a list of CIDR blocks", nameOption),
    }),
  ),
});

/**
 * Creates accounts and keys in memory. Throws like `put`.
 *
 * @example
 * ```ts
 * import { createMemoryAccounts } from "managed-orders/memory";
 * const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
 * const owner = { userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] } as const;
 * const accounts = createMemoryAccounts([{ account, keys: [{ ...owner, apiKey: "key", secret: "secret" }] }]);
 * const key = await accounts.key("key");
 * console.log(key?.accountId); // 1
 * ```
 */
export function createMemoryAccounts(entries: readonly AccountEntry[] = []): MemoryAccounts {
  const accounts = new Map<number, Account>();
  const keys = new Map<string, ApiKey>();
  const put = (entry: AccountEntry, name = "accounts.put"): void => {
    entryOption(entry, name);
    const { account, keys: added } = entry;
    const { accountId } = account;
    const foreign = added.some((key) => (keys.get(key.apiKey) ?? key).accountId !== accountId);
    if (foreign || added.some((key) => key.accountId !== accountId)) {
      throw new RangeError(
        `keys: each key must belong to account ${accountId}, but one of them belongs to another account`,
      );
    }
    for (const key of keys.values()) if (key.accountId === accountId) keys.delete(key.apiKey);
    for (const key of added) keys.set(key.apiKey, key);
    accounts.set(accountId, account);
  };
  listOption("a list of accounts with their keys", uncheckedOption)(entries, "createMemoryAccounts");
  entries.forEach((entry, index) => {
    put(entry, `createMemoryAccounts[${index}]`);
  });
  return {
    key: (apiKey) => keys.get(apiKey),
    account: (accountId) => accounts.get(accountId),
    put: (entry) => put(entry),
  };
}
