import { PRICE_LIMIT, QUANTITY_LIMIT } from "../decimal/index.ts";
import type { Rejection } from "../model/index.ts";
import type { RejectionQuery, Rejections } from "../ports/index.ts";
import { harmless } from "./guards.ts";
import type { Questions } from "./questions.ts";
import {
  amountOf,
  itemsOf,
  type Members,
  membersOf,
  requireThat,
  textOf,
  wholeOf,
  wordOf,
} from "./reading.ts";
import { REJECT_REASONS, SIDES } from "./words.ts";

/** Wraps the retained rejections of a host with checks of every answer. */
export function checkedRejections(rejections: Rejections, questions: Questions): Rejections {
  return {
    retain: (rejection) =>
      harmless(
        () => rejections.retain(rejection),
        (error) => questions.report("rejections.retain", error),
      ),
    list: (query) =>
      questions.query(
        "rejections.list",
        () => rejections.list(query),
        (answer) =>
          itemsOf(answer, "the list of rejections", query.limit).map((one) => readRejection(one, query)),
      ),
    get counts() {
      return rejections.counts;
    },
  };
}

/** Reads a rejection that was asked for. Another one would show an order as rejected that was not. */
function readRejection(answer: unknown, { accountId, symbol, clientOrderId }: RejectionQuery): Rejection {
  const rejection = membersOf(answer, "a rejection");
  requireThat(rejection.accountId === accountId, "a rejection belongs to another account than requested");
  const isOfMarket = symbol === undefined || rejection.symbol === symbol;
  requireThat(isOfMarket, "a rejection belongs to another market than requested");
  const isOfOrder = clientOrderId === undefined || rejection.clientOrderId === clientOrderId;
  requireThat(isOfOrder, "a rejection has another client id than requested");
  return {
    rejectionId: textOf(rejection.rejectionId, "rejectionId", { most: 64 }),
    accountId,
    symbol: textOf(rejection.symbol, "symbol", { most: 64 }),
    clientOrderId: textOf(rejection.clientOrderId, "clientOrderId", { from: 0 }),
    code: wholeOf(rejection.code, "code", { from: -99_999, to: -1 }),
    rejectReason: wordOf(rejection.rejectReason, "rejectReason", REJECT_REASONS),
    errorMessage: textOf(rejection.errorMessage, "errorMessage", { from: 0, most: 65_536 }),
    timeMs: wholeOf(rejection.timeMs, "timeMs"),
    ...termsOf(rejection),
  };
}

function termsOf({ side, type, timeInForce, price, stopPrice, quantity }: Members): Partial<Rejection> {
  return {
    ...(side !== undefined && { side: wordOf(side, "side", SIDES) }),
    ...(type !== undefined && { type: textOf(type, "type", { most: 64 }) }),
    ...(timeInForce !== undefined && { timeInForce: textOf(timeInForce, "timeInForce", { most: 64 }) }),
    ...(price !== undefined && { price: amountOf(price, "price", PRICE_LIMIT) }),
    ...(stopPrice !== undefined && { stopPrice: amountOf(stopPrice, "stopPrice", PRICE_LIMIT) }),
    ...(quantity !== undefined && { quantity: amountOf(quantity, "quantity", QUANTITY_LIMIT) }),
  };
}
