import type { Account, ApiKey } from "../../model/index.ts";
import type { Accounts } from "../../ports/index.ts";

/** An account with all its keys. */
export interface AccountEntry {
  readonly account: Account;
  readonly keys: readonly ApiKey[];
}

/** Accounts that can be changed while they are in use. */
export interface MemoryAccounts extends Accounts {
  /**
   * Creates or replaces an account. Its earlier keys become invalid immediately (decision 49).
   * Throws a RangeError for a key that names another account or already belongs to another account.
   */
  put(entry: AccountEntry): void;
}

/**
 * Creates accounts and keys in memory. Throws a RangeError like `put`.
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
  const put = ({ account, keys: added }: AccountEntry): void => {
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
  for (const entry of entries) put(entry);
  return { key: (apiKey) => keys.get(apiKey), account: (accountId) => accounts.get(accountId), put };
}
