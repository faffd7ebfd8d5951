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
import { itemsOf, type Members, membersOf, requireThat, textOf, wholeOf, wordOf } from "./reading.ts";
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
    balances: itemsOf(balances, "balances", MOST).map(readBalance),
    positions: itemsOf(positions, "positions", MOST).map(readPosition),
  };
}

function readBalance(answer: unknown): BalanceNow {
  const balance = membersOf(answer, "a balance");
  return {
    asset: textOf(balance.asset, "the asset of a balance", { most: 64 }),
    wallet: decimalOf(balance.wallet, "the wallet of a balance"),
    change: decimalOf(balance.change, "the change of a balance"),
    ...decimalsOf(balance, ["cross"]),
  };
}

function readPosition(answer: unknown): PositionNow {
  const position = membersOf(answer, "a position");
  return {
    symbol: textOf(position.symbol, "the symbol of a position", { most: 64 }),
    amount: decimalOf(position.amount, "the amount of a position"),
    ...decimalsOf(position, ["entryPrice", "breakEvenPrice", "realizedProfit", "unrealizedProfit"]),
  };
}

function readCall(answer: unknown): MarginCall {
  const call = membersOf(answer, "the margin call");
  return {
    positions: itemsOf(call.positions, "positions", MOST).map(readRisk),
    ...decimalsOf(call, ["crossWallet"]),
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
    ...decimalsOf(position, ["isolatedWallet"]),
  };
}

const DECIMAL = /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/;

function decimalOf(answer: unknown, what: string): string {
  const text = textOf(answer, what);
  requireThat(DECIMAL.test(text), `${what} is not a decimal string`);
  return text;
}

/** Returns those of the named members that are present. */
function decimalsOf<K extends string>(from: Members, names: readonly K[]): { [N in K]?: string } {
  const there = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, decimalOf(from[name], name)])) as {
    [N in K]?: string;
  };
}
