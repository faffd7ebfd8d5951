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
  return said === undefined ? undefined : wholeOf(said, "the account id");
}

function readKey(said: unknown, apiKey: string): ApiKey | undefined {
  if (said === undefined) return undefined;
  const key = membersOf(said, "the key");
  demand(key.apiKey === apiKey, "the key is another one");
  return {
    apiKey,
    secret: textOf(key.secret, "the secret", { most: 4_096 }),
    userId: wholeOf(key.userId, "the user id"),
    accountId: wholeOf(key.accountId, "the account id"),
    permissions: permissionsOf(key.permissions),
    ipAllowlist: textsOf(key.ipAllowlist, "the address list"),
  };
}

function readAccount(said: unknown, accountId: number): Account | undefined {
  if (said === undefined) return undefined;
  const account = membersOf(said, "the account");
  demand(account.accountId === accountId, "the account is another one");
  const { restricted } = account;
  return {
    accountId,
    userId: wholeOf(account.userId, "the user id"),
    enableDataSharing: flagOf(account.enableDataSharing, "the consent"),
    delegates: itemsOf(account.delegates, "the list of delegates", MOST).map(delegateOf),
    restricted: typeof restricted === "boolean" ? restricted : textsOf(restricted, "the restriction"),
  };
}

function delegateOf(said: unknown): Delegate {
  const delegate = membersOf(said, "a delegate");
  return {
    userId: wholeOf(delegate.userId, "the user id of a delegate"),
    permissions: permissionsOf(delegate.permissions),
  };
}

const permissionsOf = (said: unknown): readonly Permission[] =>
  itemsOf(said, "the list of permissions", MOST).map((one) => wordOf(one, "a permission", PERMISSIONS));

const textsOf = (said: unknown, what: string): readonly string[] =>
  itemsOf(said, what, MOST).map((one) => textOf(one, `an entry of ${what}`, { from: 0 }));
