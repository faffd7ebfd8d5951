import type { AccountEntry } from "../../../src/adapters/memory/index.ts";
import type { Permission } from "../../../src/model/index.ts";

/** A sender of requests: a key with its secret, its permissions and its accounts. */
export type Caller = Readonly<{
  apiKey: string;
  secret: string;
  accountId: number;
  permissions: readonly Permission[];
  /** Its own account first, then those delegated to its user. */
  accountIds: readonly number[];
}>;

/** Accounts with a key that signs; the key of account 1 acts for {@link LENT} too. */
const SIGNING_ACCOUNTS = 8;

/** An account without a signing key, delegated to user 1. */
export const LENT = 11;

/** Accounts that hold orders and whose secrets never sign a request: they must never change. */
export const QUIET: readonly number[] = [21, 22, 23];

/** A part of every secret, to search for in answers. */
export const SECRET_MARK = "fuzz-secret-of-";

const BOTH: readonly Permission[] = ["READ", "TRADE"];

const caller = (name: string, accountId: number, permissions: readonly Permission[] = BOTH): Caller => ({
  apiKey: `fuzz-key-of-${name}-${"k".repeat(30)}`,
  secret: `${SECRET_MARK}${name}-${"s".repeat(30)}`,
  accountId,
  permissions,
  accountIds: accountId === 1 ? [1, LENT] : [accountId],
});

const whole = Array.from({ length: SIGNING_ACCOUNTS }, (_, index) =>
  caller(`account-${index + 1}`, index + 1),
);

/** Callers with both permissions, one for each account. */
export const TRADERS: readonly Caller[] = whole;

/** All signing callers: with both permissions, with one, with none. */
export const CALLERS: readonly Caller[] = [
  ...whole,
  caller("reader-of-1", 1, ["READ"]),
  caller("trader-of-1", 1, ["TRADE"]),
  caller("idle-of-2", 2, []),
];

/** Keys that attackers know by name only. */
export const SILENT: readonly Caller[] = QUIET.map((accountId) => caller(`quiet-${accountId}`, accountId));

/** A caller unknown to the service. */
export const NOBODY: Caller = caller("nobody", 99);

/** The accounts with their keys, as the service has them. */
export function accountEntries(): readonly AccountEntry[] {
  const known = [...CALLERS, ...SILENT];
  return [...new Set([...known.map(({ accountId }) => accountId), LENT])].map((accountId) => ({
    account: {
      accountId,
      userId: accountId,
      enableDataSharing: true,
      delegates: accountId === LENT ? [{ userId: 1, permissions: BOTH }] : [],
      restricted: false,
    },
    keys: known
      .filter((key) => key.accountId === accountId)
      .map(({ apiKey, secret, permissions }) => ({
        ...{ apiKey, secret, permissions, accountId },
        ...{ userId: accountId, ipAllowlist: [] },
      })),
  }));
}
