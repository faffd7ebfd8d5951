import type { Account, ApiKey, Delegate, Permission } from "../model/index.ts";
import type { Accounts } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { flagOf, itemsOf, membersOf, requireThat, textOf, wholeOf, wordOf } from "./reading.ts";

/** Most delegates, symbols or address blocks of one account or key. */
const MOST = 100_000;

const PERMISSIONS: readonly Permission[] = ["READ", "TRADE"];

/** Wraps the accounts of a host with checks of every answer. */
export function checkedAccounts(accounts: Accounts, questions: Questions): Accounts {
  return {
    key: (apiKey) =>
      questions.query(
        "accounts.key",
        () => accounts.key(apiKey),
        (answer) => readKey(answer, apiKey),
      ),
    account: (accountId) =>
      questions.query(
        "accounts.account",
        () => accounts.account(accountId),
        (answer) => readAccount(answer, accountId),
      ),
  };
}

/** Returns the account that a token names; undefined for none. */
export function readAccountId(answer: unknown): number | undefined {
  return answer === undefined ? undefined : wholeOf(answer, "accountId");
}

function readKey(answer: unknown, apiKey: string): ApiKey | undefined {
  if (answer === undefined) return undefined;
  const key = membersOf(answer, "the key");
  requireThat(key.apiKey === apiKey, "the key has another apiKey than requested");
  return {
    apiKey,
    secret: textOf(key.secret, "secret", { most: 4_096 }),
    userId: wholeOf(key.userId, "userId"),
    accountId: wholeOf(key.accountId, "accountId"),
    permissions: permissionsOf(key.permissions),
    ipAllowlist: textsOf(key.ipAllowlist, "ipAllowlist"),
  };
}

function readAccount(answer: unknown, accountId: number): Account | undefined {
  if (answer === undefined) return undefined;
  const account = membersOf(answer, "the account");
  requireThat(account.accountId === accountId, "the account has another accountId than requested");
  const { restricted } = account;
  return {
    accountId,
    userId: wholeOf(account.userId, "userId"),
    enableDataSharing: flagOf(account.enableDataSharing, "enableDataSharing"),
    delegates: itemsOf(account.delegates, "delegates", MOST).map(delegateOf),
    restricted: typeof restricted === "boolean" ? restricted : textsOf(restricted, "restricted"),
  };
}

function delegateOf(answer: unknown): Delegate {
  const delegate = membersOf(answer, "a delegate");
  return {
    userId: wholeOf(delegate.userId, "the userId of a delegate"),
    permissions: permissionsOf(delegate.permissions),
  };
}

const permissionsOf = (answer: unknown): readonly Permission[] =>
  itemsOf(answer, "permissions", MOST).map((one) => wordOf(one, "a permission", PERMISSIONS));

const textsOf = (answer: unknown, what: string): readonly string[] =>
  itemsOf(answer, what, MOST).map((one) => textOf(one, `an entry of ${what}`, { from: 0 }));
