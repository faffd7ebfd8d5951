import type {
  AccountEvent,
  AccountEvents,
  AccountUpdate,
  BalanceNow,
  MarginCall,
  PositionAtRisk,
  PositionNow,
} from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { demand, itemsOf, type Members, membersOf, textOf, wholeOf, wordOf } from "./reading.ts";
import { UPDATE_REASONS } from "./words.ts";

/** Most balances or positions of one event. */
const MOST = 10_000;

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
      events.subscribe((said: unknown) => {
        try {
          listener(readEvent(said));
        } catch (error) {
          questions.tell("accountEvents.subscribe", error);
        }
      }),
  };
}

function readEvent(said: unknown): AccountEvent {
  const { accountId: id, update, call } = membersOf(said, "the event");
  const accountId = wholeOf(id, "the account id");
  return update === undefined
    ? { accountId, call: readCall(call) }
    : { accountId, update: readUpdate(update) };
}

const readNews = (said: unknown): AccountUpdate | undefined =>
  said === undefined ? undefined : readUpdate(said);

function readUpdate(said: unknown): AccountUpdate {
  const { reason, timeMs, balances, positions } = membersOf(said, "the update");
  return {
    reason: wordOf(reason, "the reason", UPDATE_REASONS),
    timeMs: wholeOf(timeMs, "the time"),
    balances: itemsOf(balances, "the balances", MOST).map(readBalance),
    positions: itemsOf(positions, "the positions", MOST).map(readPosition),
  };
}

function readBalance(said: unknown): BalanceNow {
  const balance = membersOf(said, "a balance");
  return {
    asset: textOf(balance.asset, "an asset", { most: 64 }),
    wallet: decimalOf(balance.wallet, "a balance"),
    change: decimalOf(balance.change, "a change"),
    ...decimalsOf(balance, ["cross"]),
  };
}

function readPosition(said: unknown): PositionNow {
  const position = membersOf(said, "a position");
  return {
    symbol: textOf(position.symbol, "a symbol", { most: 64 }),
    amount: decimalOf(position.amount, "an amount"),
    ...decimalsOf(position, ["entryPrice", "breakEvenPrice", "realizedProfit", "unrealizedProfit"]),
  };
}

function readCall(said: unknown): MarginCall {
  const call = membersOf(said, "the margin call");
  return {
    positions: itemsOf(call.positions, "the positions", MOST).map(readRisk),
    ...decimalsOf(call, ["crossWallet"]),
  };
}

function readRisk(said: unknown): PositionAtRisk {
  const position = membersOf(said, "a position");
  return {
    symbol: textOf(position.symbol, "a symbol", { most: 64 }),
    side: wordOf(position.side, "a side", ["BOTH", "LONG", "SHORT"]),
    amount: decimalOf(position.amount, "an amount"),
    marginType: wordOf(position.marginType, "a margin type", ["CROSSED", "ISOLATED"]),
    markPrice: decimalOf(position.markPrice, "a mark price"),
    unrealizedProfit: decimalOf(position.unrealizedProfit, "a profit"),
    maintenanceMargin: decimalOf(position.maintenanceMargin, "a margin"),
    ...decimalsOf(position, ["isolatedWallet"]),
  };
}

const DECIMAL = /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/;

function decimalOf(said: unknown, what: string): string {
  const text = textOf(said, what);
  demand(DECIMAL.test(text), `${what} is no decimal`);
  return text;
}

/** Returns those of the named members that are present. */
function decimalsOf<K extends string>(from: Members, names: readonly K[]): { [N in K]?: string } {
  const there = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, decimalOf(from[name], name)])) as {
    [N in K]?: string;
  };
}
