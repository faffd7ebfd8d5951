import type { Random } from "../../../src/common/random.ts";

/** Ids from earlier answers, by account, so that later requests name existing orders. */
export class KnownOrders {
  readonly #orders: Map<number, string[]> = new Map();
  readonly #lists: Map<number, string[]> = new Map();
  readonly #clientIds: Map<number, string[]> = new Map();

  /** Learns the ids in an answer to a request for an account. */
  learn(accountId: number, answer: string): void {
    take(this.#orders, accountId, answer.matchAll(/"orderId":(-?[0-9]+)/g));
    take(this.#lists, accountId, answer.matchAll(/"orderListId":(-[0-9]{2,})/g));
    take(this.#clientIds, accountId, answer.matchAll(/"(?:clientOrderId|listClientOrderId)":"([^"\\]+)"/g));
  }

  /** Returns an order id of the account, sometimes of another one, sometimes of none. */
  orderId(accountId: number, random: Random): string {
    return some(this.#orders, accountId, random) ?? "-256";
  }

  listId(accountId: number, random: Random): string {
    return some(this.#lists, accountId, random) ?? "-512";
  }

  clientId(accountId: number, random: Random): string {
    return some(this.#clientIds, accountId, random) ?? "unknown-id";
  }
}

/** Ids of one account that are kept: the newest. */
const MOST = 100;

function take(ids: Map<number, string[]>, accountId: number, found: Iterable<RegExpMatchArray>): void {
  const stored = ids.get(accountId) ?? [];
  for (const [, id] of found) if (id !== undefined && !stored.includes(id)) stored.push(id);
  ids.set(accountId, stored.slice(-MOST));
}

function some(
  ids: ReadonlyMap<number, readonly string[]>,
  accountId: number,
  random: Random,
): string | undefined {
  const foreign = random.below(20) === 0;
  const from = foreign ? [...ids.values()].flat() : (ids.get(accountId) ?? []);
  return from.length === 0 ? undefined : random.pick(from);
}
