import { PRICE_LIMIT, QUANTITY_LIMIT } from "../decimal/index.ts";
import type { Rejection } from "../model/index.ts";
import type { RejectionQuery, Rejections } from "../ports/index.ts";
import { harmless } from "./guards.ts";
import type { Questions } from "./questions.ts";
import { amountOf, demand, itemsOf, type Members, membersOf, textOf, wholeOf, wordOf } from "./reading.ts";
import { REJECT_REASONS, SIDES } from "./words.ts";

/** Wraps the retained rejections of a host with checks of every answer. */
export function checkedRejections(rejections: Rejections, questions: Questions): Rejections {
  return {
    retain: (rejection) =>
      harmless(
        () => rejections.retain(rejection),
        (error) => questions.tell("rejections.retain", error),
      ),
    list: (query) =>
      questions.ask(
        "rejections.list",
        () => rejections.list(query),
        (said) =>
          itemsOf(said, "the list of rejections", query.limit).map((one) => readRejection(one, query)),
      ),
    get counts() {
      return rejections.counts;
    },
  };
}

function readRejection(said: unknown, { accountId }: RejectionQuery): Rejection {
  const rejection = membersOf(said, "a rejection");
  demand(rejection.accountId === accountId, "a rejection is of another account");
  return {
    rejectionId: textOf(rejection.rejectionId, "the id of a rejection", { most: 64 }),
    accountId,
    symbol: textOf(rejection.symbol, "the symbol", { most: 64 }),
    clientOrderId: textOf(rejection.clientOrderId, "the client id", { from: 0 }),
    code: wholeOf(rejection.code, "the code", { from: -99_999, to: -1 }),
    rejectReason: wordOf(rejection.rejectReason, "the reason", REJECT_REASONS),
    errorMessage: textOf(rejection.errorMessage, "the message", { from: 0, most: 65_536 }),
    timeMs: wholeOf(rejection.timeMs, "the time"),
    ...termsOf(rejection),
  };
}

function termsOf({ side, type, timeInForce, price, stopPrice, quantity }: Members): Partial<Rejection> {
  return {
    ...(side !== undefined && { side: wordOf(side, "the side", SIDES) }),
    ...(type !== undefined && { type: textOf(type, "the type", { most: 64 }) }),
    ...(timeInForce !== undefined && { timeInForce: textOf(timeInForce, "the time in force", { most: 64 }) }),
    ...(price !== undefined && { price: amountOf(price, "the price", PRICE_LIMIT) }),
    ...(stopPrice !== undefined && { stopPrice: amountOf(stopPrice, "the stop price", PRICE_LIMIT) }),
    ...(quantity !== undefined && { quantity: amountOf(quantity, "the quantity", QUANTITY_LIMIT) }),
  };
}
