import type { Quantity } from "../decimal/index.ts";
import type { Account, ApiKey, Delegate, Permission } from "../model/index.ts";
import type {
  AccountEvent,
  AccountEvents,
  Accounts,
  AccountUpdate,
  AssetBalance,
  BalanceNow,
  Balances,
  Exposure,
  MarginCall,
  PositionAsOf,
  PositionAtRisk,
  PositionChange,
  PositionNow,
} from "../ports/index.ts";
import { harmless, type Questions } from "./questions.ts";
import {
  flagOf,
  itemsOf,
  membersOf,
  presentOf,
  printableOf,
  requireThat,
  scaledOf,
  textOf,
  UPDATE_REASONS,
  wholeOf,
  wordOf,
} from "./reading.ts";

/** Most delegates, symbols or address blocks of one account or key. */
const MOST = 100_000;

const PERMISSIONS: readonly Permission[] = ["READ", "TRADE"];

/** Wraps the accounts of a host with checks of every answer. */
export function checkedAccounts(accounts: Accounts, questions: Questions): Accounts {
  return {
    key: (apiKey) => questions.query("accounts.key", () => accounts.key(apiKey), readKey, apiKey),
    account: (accountId) =>
      questions.query("accounts.account", () => accounts.account(accountId), readAccount, accountId),
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

/** Most balances or positions in one answer. */
const MOST_ASSETS = 10_000;

const AMOUNT = /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/;

/** Wraps the balances of a host with checks of every answer. */
export function checkedBalances(balances: Balances, questions: Questions): Balances {
  return {
    balances: (accountId) =>
      questions.query("balances.balances", () => balances.balances(accountId), readBalances),
  };
}

const readBalances = (answer: unknown): readonly AssetBalance[] =>
  itemsOf(answer, "the balances", MOST_ASSETS).map(readBalance);

function readBalance(answer: unknown): AssetBalance {
  const { asset, free, locked } = membersOf(answer, "a balance");
  return {
    asset: textOf(asset, "the asset of a balance", { most: 64 }),
    free: amountText(free, "the free amount of a balance"),
    locked: amountText(locked, "the locked amount of a balance"),
  };
}

function amountText(answer: unknown, what: string): string {
  const text = textOf(answer, what, { most: 82 });
  requireThat(AMOUNT.test(text), `${what} is not a decimal`);
  return text;
}

/** Positions must be below this in both directions. */
const POSITION_LIMIT = 10n ** 30n;

/** Wraps the positions of a host with checks of every answer. A report that cannot be read is told and dropped. */
export function checkedExposure(exposure: Exposure, questions: Questions): Exposure {
  const { lagMs } = exposure;
  return {
    ...(lagMs !== undefined && { lagMs }),
    position: (accountId, symbol) =>
      questions.query("exposure.position", () => exposure.position(accountId, symbol), readAnswer),
    ...(exposure.onChange !== undefined && {
      onChange: (listener) =>
        exposure.onChange?.((change: unknown) =>
          harmless(
            () => listener(readChange(change)),
            (error) => questions.report("exposure.onChange", error),
          ),
        ) ?? (() => undefined),
    }),
  };
}

/** Returns the quantity of an answer. */
export const quantityOf = (answer: Quantity | PositionAsOf): Quantity =>
  typeof answer === "object" ? answer.quantity : answer;

function readAnswer(answer: unknown): Quantity | PositionAsOf {
  if (typeof answer !== "object" || answer === null) return readPosition(answer);
  const { quantity, asOf } = membersOf(answer, "the position");
  return { quantity: readPosition(quantity), asOf: readAsOf(asOf) };
}

const readAsOf = (answer: unknown): string | number =>
  typeof answer === "number" ? wholeOf(answer, "asOf") : printableOf(answer, "asOf", 256);

function readChange(answer: unknown): PositionChange {
  const { accountId, symbol, quantity } = membersOf(answer, "the change");
  return {
    accountId: wholeOf(accountId, "accountId", { from: 1 }),
    symbol: printableOf(symbol, "symbol", 256),
    quantity: readPosition(quantity),
  };
}

function readPosition(answer: unknown): Quantity {
  const position = scaledOf(answer, "the position");
  requireThat(position > -POSITION_LIMIT && position < POSITION_LIMIT, "the position is out of range");
  return position as Quantity;
}

/**
 * Wraps the account events of a host with checks. An unreadable event is reported to the operator and not passed to
 * clients.
 */
export function checkedAccountEvents(events: AccountEvents, questions: Questions): AccountEvents {
  return {
    afterFill(fill) {
      try {
        return questions.now("accountEvents.afterFill", () => events.afterFill(fill), readNews);
      } catch {
        return undefined;
      }
    },
    subscribe: (listener) =>
      events.subscribe((answer: unknown) => {
        try {
          listener(readEvent(answer));
        } catch (error) {
          questions.report("accountEvents.subscribe", error);
        }
      }),
  };
}

function readEvent(answer: unknown): AccountEvent {
  const { accountId: id, update, call } = membersOf(answer, "the event");
  const accountId = wholeOf(id, "accountId");
  return update === undefined
    ? { accountId, call: readCall(call) }
    : { accountId, update: readUpdate(update) };
}

const readNews = (answer: unknown): AccountUpdate | undefined =>
  answer === undefined ? undefined : readUpdate(answer);

function readUpdate(answer: unknown): AccountUpdate {
  const { reason, timeMs, balances, positions } = membersOf(answer, "the update");
  return {
    reason: wordOf(reason, "reason", UPDATE_REASONS),
    timeMs: wholeOf(timeMs, "timeMs"),
    balances: itemsOf(balances, "balances", MOST_ASSETS).map(readBalanceNow),
    positions: itemsOf(positions, "positions", MOST_ASSETS).map(readPositionNow),
  };
}

function readBalanceNow(answer: unknown): BalanceNow {
  const balance = membersOf(answer, "a balance");
  return {
    asset: textOf(balance.asset, "the asset of a balance", { most: 64 }),
    wallet: decimalOf(balance.wallet, "the wallet of a balance"),
    change: decimalOf(balance.change, "the change of a balance"),
    ...presentOf(balance, { cross: decimalOf }),
  };
}

function readPositionNow(answer: unknown): PositionNow {
  const position = membersOf(answer, "a position");
  return {
    symbol: textOf(position.symbol, "the symbol of a position", { most: 64 }),
    amount: decimalOf(position.amount, "the amount of a position"),
    ...presentOf(position, {
      entryPrice: decimalOf,
      breakEvenPrice: decimalOf,
      realizedProfit: decimalOf,
      unrealizedProfit: decimalOf,
    }),
  };
}

function readCall(answer: unknown): MarginCall {
  const call = membersOf(answer, "the margin call");
  return {
    positions: itemsOf(call.positions, "positions", MOST_ASSETS).map(readRisk),
    ...presentOf(call, { crossWallet: decimalOf }),
  };
}

function readRisk(answer: unknown): PositionAtRisk {
  const position = membersOf(answer, "a position");
  return {
    symbol: textOf(position.symbol, "the symbol of a position", { most: 64 }),
    side: wordOf(position.side, "the side of a position", ["BOTH", "LONG", "SHORT"]),
    amount: decimalOf(position.amount, "the amount of a position"),
    marginType: wordOf(position.marginType, "the marginType of a position", ["CROSSED", "ISOLATED"]),
    markPrice: decimalOf(position.markPrice, "the markPrice of a position"),
    unrealizedProfit: decimalOf(position.unrealizedProfit, "the unrealizedProfit of a position"),
    maintenanceMargin: decimalOf(position.maintenanceMargin, "the maintenanceMargin of a position"),
    ...presentOf(position, { isolatedWallet: decimalOf }),
  };
}

function decimalOf(answer: unknown, what: string): string {
  const text = textOf(answer, what);
  requireThat(AMOUNT.test(text), `${what} is not a decimal string`);
  return text;
}
