import type { EndedName, EndedNamePage } from "../ports/index.ts";
import { itemsOf, membersOf, requireThat, textOf } from "./reading.ts";

/**
 * Reads a page of names of ended orders: at most `limit`, in order, the first after `after`. Throws an
 * UnreadableAnswer for anything else, because a page out of order could omit names.
 */
export function readEndedNames(answer: unknown, { after, limit }: EndedNamePage): readonly EndedName[] {
  let last = after;
  return itemsOf(answer, "the page of names", limit).map((one) => {
    const name = readName(one);
    requireThat(last === undefined || isAfter(name, last), "the names are not in order");
    last = name;
    return name;
  });
}

function readName(answer: unknown): EndedName {
  const { accountId, clientOrderId } = membersOf(answer, "a name");
  requireThat(Number.isSafeInteger(accountId), "the accountId of a name is not a whole number");
  return {
    accountId: accountId as number,
    clientOrderId: textOf(clientOrderId, "the clientOrderId of a name"),
  };
}

function isAfter(name: EndedName, last: EndedName): boolean {
  if (name.accountId !== last.accountId) return name.accountId > last.accountId;
  return name.clientOrderId > last.clientOrderId;
}
