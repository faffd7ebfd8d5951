import type { Account, ApiKey, Delegate, Permission } from "../model/index.ts";
import type { Accounts } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { demand, flagOf, itemsOf, membersOf, textOf, wholeOf, wordOf } from "./reading.ts";

/** Most delegates, symbols or address blocks of one account or key. */
const MOST = 100_000;

const PERMISSIONS: readonly Permission[] = ["READ", "TRADE"];

/** Wraps the accounts of a host with checks of every answer. */
export function checkedAccounts(accounts: Accounts, questions: Questions): Accounts {
  return {
    key: (apiKey) =>
      questions.ask(
        "accounts.key",
        () => accounts.key(apiKey),
        (said) => readKey(said, apiKey),
      ),
    account: (accountId) =>
      questions.ask(
        "accounts.account",
        () => accounts.account(accountId),
        (said) => readAccount(said, accountId),
      ),
  };
}

/** Returns the account that a token names; undefined for none. */
export function readAccountId(said: unknown): number | undefined {
  return said === undefined ? undefined : wholeOf(said, "accountId");
}

function readKey(said: unknown, apiKey: string): ApiKey | undefined {
  if (said === undefined) return undefined;
  const key = membersOf(said, "the key");
  demand(key.apiKey === apiKey, "the key has another apiKey than requested");
  return {
    apiKey,
    secret: textOf(key.secret, "secret", { most: 4_096 }),
    userId: wholeOf(key.userId, "userId"),
    accountId: wholeOf(key.accountId, "accountId"),
    permissions: permissionsOf(key.permissions),
    ipAllowlist: textsOf(key.ipAllowlist, "ipAllowlist"),
  };
}

function readAccount(said: unknown, accountId: number): Account | undefined {
  if (said === undefined) return undefined;
  const account = membersOf(said, "the account");
  demand(account.accountId === accountId, "the account has another accountId than requested");
  const { restricted } = account;
  return {
    accountId,
    userId: wholeOf(account.userId, "userId"),
    enableDataSharing: flagOf(account.enableDataSharing, "enableDataSharing"),
    delegates: itemsOf(account.delegates, "delegates", MOST).map(delegateOf),
    restricted: typeof restricted === "boolean" ? restricted : textsOf(restricted, "restricted"),
  };
}

function delegateOf(said: unknown): Delegate {
  const delegate = membersOf(said, "a delegate");
  return {
    userId: wholeOf(delegate.userId, "the userId of a delegate"),
    permissions: permissionsOf(delegate.permissions),
  };
}

const permissionsOf = (said: unknown): readonly Permission[] =>
  itemsOf(said, "permissions", MOST).map((one) => wordOf(one, "a permission", PERMISSIONS));

const textsOf = (said: unknown, what: string): readonly string[] =>
  itemsOf(said, what, MOST).map((one) => textOf(one, `an entry of ${what}`, { from: 0 }));
