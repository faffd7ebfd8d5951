import { formatNotional, formatPrice, formatQuantity, notionalOf } from "../../../decimal/index.ts";
import { OrderError } from "../../../errors/index.ts";
import { readChildId } from "../../../lifecycle/index.ts";
import type { NativeExecution } from "../../../model/index.ts";
import { readAccountQuery, readTradesPage } from "../../../requests/index.ts";
import { accountOf } from "../../access/ownership.ts";
import { NO_LIST } from "../../views/managed-order.ts";
import { tradeIdOf } from "../../views/native-order.ts";
import { readWithCatalogue } from "../look-ups.ts";
import { hasExecutions, nativeOf } from "../native-handlers.ts";
import type { Answer, ServiceParts, SignedCall } from "../parts.ts";
import type { Members } from "./forms.ts";

/** Commissions and rights of an account that no host reports. */
const ACCOUNT = {
  makerCommission: 0,
  takerCommission: 0,
  buyerCommission: 0,
  sellerCommission: 0,
  canWithdraw: false,
  canDeposit: false,
  brokered: false,
  requireSelfTradePrevention: false,
  preventSor: false,
} as const;

const ZERO = /^-?0+(\.0+)?$/;

/**
 * GET /compat/api/v3/account: the balances of the account, and whether the key may trade with it. Throws an OrderError
 * -1020 if the host has no balances.
 */
export async function accountStatus(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { balances, accounts, clock } = parts;
  if (balances === undefined) throw new OrderError("UNSUPPORTED_OPERATION");
  const { omitZeroBalances, ...actor } = readAccountQuery(call.parameters);
  const accountId = await accountOf(parts, call, actor);
  const all = await balances.balances(accountId);
  const shown = all.filter(({ free, locked }) => !omitZeroBalances || !ZERO.test(free) || !ZERO.test(locked));
  const isRestricted = (await accounts.account(accountId))?.restricted === true;
  return {
    body: {
      ...ACCOUNT,
      canTrade: call.key.permissions.includes("TRADE") && !isRestricted,
      updateTime: clock.nowMs(),
      accountType: "SPOT",
      balances: shown.map(({ asset, free, locked }) => ({ asset, free, locked })),
      permissions: ["SPOT"],
      uid: accountId,
    },
  };
}

/** Executions that one request looks at: the most that a host is asked for. */
const MOST = 1_000;

/**
 * GET /compat/api/v3/myTrades: the newest fills of a market, oldest first, among the newest 1,000 executions of the account
 * in it. A fill of a child has the orderId of its managed order. Throws an OrderError -1020 if the host has no native
 * orders.
 */
export async function myTrades(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const native = nativeOf(parts);
  const { orderId, limit, ...page } = await readWithCatalogue(
    parts,
    call,
    (resolve) => readTradesPage(call.parameters, resolve),
    (wanted) => hasExecutions(native, wanted),
  );
  const isNative = orderId !== undefined && orderId > 0n;
  const executions = await native.executions({
    ...{ ...page, limit: MOST },
    ...(isNative && { orderId }),
  });
  const trades = executions.flatMap(tradeOf);
  const wanted = trades.filter((trade) => orderId === undefined || BigInt(trade.orderId) === orderId);
  return { body: wanted.slice(-limit) };
}

type Trade = Members & Readonly<{ orderId: bigint | number }>;

/** Returns the trade of an execution; none if nothing was filled. */
function tradeOf({ order, executionId, lastPrice, lastQuantity, timeMs }: NativeExecution): readonly Trade[] {
  if (lastPrice === undefined || lastQuantity === undefined) return [];
  const child = readChildId(order.clientOrderId);
  return [
    {
      symbol: order.symbol,
      id: tradeIdOf(executionId),
      orderId: child?.orderId ?? order.orderId,
      // The host does not know the list of a child's managed order.
      ...(child === undefined && { orderListId: order.orderListId ?? NO_LIST }),
      price: formatPrice(lastPrice),
      qty: formatQuantity(lastQuantity),
      quoteQty: formatNotional(notionalOf(lastPrice, lastQuantity)),
      time: timeMs,
      isBuyer: order.side === "BUY",
      // A child executes at once. Of other orders, the host does not say whether they waited in its book.
      ...(child !== undefined && { isMaker: false }),
    },
  ];
}
