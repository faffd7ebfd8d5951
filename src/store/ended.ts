import { InvariantError, invariant } from "../errors/index.ts";
import { type EndedList, type ParentOrder, shardOfId } from "../model/index.ts";
import type {
  EndedCount,
  EndedKey,
  EndedListKey,
  EndedListPage,
  EndedName,
  EndedNamePage,
  EndedPage,
  Entry,
  ShardAppend,
} from "../ports/index.ts";
import { decodeParent, encodeParent, readJson } from "../wire/index.ts";
import type { Journal, PartRows } from "./journal.ts";
import { countIn, digits, escaped, keyOf, numberIn, partsOf, shardDigits, under, unescaped } from "./keys.ts";
import type { Change, Rows, ValueAt } from "./rows.ts";

/** Says which ended parent is meant. */
type OrderPlace = Pick<ParentOrder, "accountId" | "orderId">;

/** The key of an ended parent. */
export const endedKey = ({ accountId, orderId }: OrderPlace): string => keyOf("ended", accountId, -orderId);

/** The key of the client id of an ended parent. */
export const nameKey = (accountId: number, clientOrderId: string): string =>
  keyOf("name", accountId, escaped(clientOrderId));

/** The key of the number of ended parents of an account. */
export const countKey = (accountId: number): string => keyOf("count", accountId);

/** The key of an ended list. */
export const listKey = (accountId: number, listId: number): string => keyOf("list", accountId, -listId);

const listNameKey = (accountId: number, listClientOrderId: string): string =>
  keyOf("listname", accountId, escaped(listClientOrderId));

/** The keys of an ended parent besides its row and its name; their value is the account. */
export function indexKeys({ orderId, ended, list }: ParentOrder): readonly string[] {
  return [
    keyOf("order", shardDigits(shardOfId(orderId)), -orderId),
    list === undefined ? keyOf("time", ended?.atMs ?? 0, -orderId) : keyOf("leg", -list.listId, -orderId),
  ];
}

/** Returns which parent an entry of {@link indexKeys} names. */
export const placeIn = ([key, account]: Entry): OrderPlace => ({
  accountId: numberIn(account),
  orderId: -numberIn(partsOf(key)[1]),
});

const listIndexKeys = ({ listId, accountId, acceptedAtMs, endedAtMs }: EndedList): readonly Entry[] => [
  [keyOf("accepted", accountId, acceptedAtMs, -listId), ""],
  [keyOf("listtime", endedAtMs, -listId), String(accountId)],
];

/** All keys of an ended list. */
export const listKeys = (list: EndedList): readonly string[] => [
  listKey(list.accountId, list.listId),
  listNameKey(list.accountId, list.listClientOrderId),
  ...listIndexKeys(list).map(([key]) => key),
];

/**
 * Returns the rows of the parents and lists that an append ends. Throws an InvariantError I50 for a parent that has not
 * ended, and I03 if two would have one client id; the latter also later, if the client id is taken in the store.
 */
export function endedRows({ ended, endedLists = [] }: Pick<ShardAppend, "ended" | "endedLists">): PartRows {
  for (const { orderId, ended: end } of ended)
    if (end === undefined)
      throw new InvariantError("I50", `parent ${orderId} is stored as ended and has not ended`);
  const newest = new Map(ended.map((order) => [order.orderId, order]));
  const parents = Array.from(newest.values(), (order) => ({
    order,
    id: order.orderId,
    name: nameKey(order.accountId, order.intent.clientOrderId),
    text: encodeParent(order),
  }));
  const lists = endedLists.map((list) => ({
    list,
    id: list.listId,
    name: listNameKey(list.accountId, list.listClientOrderId),
  }));
  requireOneEach("parents", parents);
  requireOneEach("lists", lists);
  const accounts = new Set(ended.map(({ accountId }) => accountId));
  return {
    reads: [...accounts].map(countKey),
    absent: [
      ...[...parents, ...lists].map(({ name }) => name),
      ...endedLists.map(({ accountId, listId }) => listKey(accountId, listId)),
    ],
    change(valueAt) {
      const added = new Map<number, number>();
      const puts: Entry[] = [];
      for (const { order, name, text } of parents) {
        const { orderId, accountId } = order;
        const account = String(accountId);
        if (!isTaken("parents", valueAt(name), orderId)) {
          added.set(accountId, (added.get(accountId) ?? 0) + 1);
          puts.push([name, String(-orderId)]);
        }
        puts.push([endedKey(order), text]);
        for (const key of indexKeys(order)) puts.push([key, account]);
      }
      for (const [accountId, count] of added)
        puts.push([countKey(accountId), String(countIn(valueAt(countKey(accountId))) + count)]);
      const changes = lists.map(({ list, name }) => listChange(list, name, valueAt));
      return {
        puts: [...puts, ...changes.flatMap((change) => change.puts)],
        deletes: changes.flatMap(({ deletes }) => deletes),
      };
    },
  };
}

/** The rows of an ended list, and those of an earlier form of it that it does not have any more. */
function listChange(list: EndedList, name: string, valueAt: ValueAt): Required<Change> {
  const key = listKey(list.accountId, list.listId);
  const before = valueAt(key);
  const puts: Entry[] = [[key, JSON.stringify(list)], ...listIndexKeys(list)];
  if (!isTaken("lists", valueAt(name), list.listId)) puts.push([name, String(-list.listId)]);
  const stored = new Set(listKeys(list));
  const old = before === undefined ? [] : listKeys(listIn(before, list.listId));
  return { puts, deletes: old.filter((one) => !stored.has(one)) };
}

function requireOneEach(what: string, named: readonly Readonly<{ name: string; id: number }>[]): void {
  if (named.length < 2) return;
  const holders = new Map<string, number>();
  for (const { name, id } of named) {
    isTaken(what, holders.has(name) ? String(-(holders.get(name) ?? 0)) : undefined, id);
    holders.set(name, id);
  }
}

/** Returns whether a client id has this order or list already. Throws an InvariantError I03 if it has another one. */
function isTaken(what: string, holder: string | undefined, id: number): boolean {
  if (holder === undefined) return false;
  invariant(holder === String(-id), "I03", `${what} -${holder} and ${id} share a client id`);
  return true;
}

/** Ended parents and lists. */
export class Ended {
  readonly #rows: Rows;
  readonly #journal: Pick<Journal, "last">;

  constructor(rows: Rows, journal: Pick<Journal, "last">) {
    this.#rows = rows;
    this.#journal = journal;
  }

  async find(key: EndedKey): Promise<ParentOrder | undefined> {
    const { accountId } = key;
    const orderId = "orderId" in key ? key.orderId : await this.#named(nameKey(accountId, key.clientOrderId));
    if (orderId === undefined || orderId >= 0) return undefined;
    return (await this.rowsOf([{ accountId, orderId }]))[0];
  }

  async #named(key: string): Promise<number | undefined> {
    const value = await this.#rows.value(key);
    return value === undefined ? undefined : -numberIn(value);
  }

  /** Returns those of these parents that are there. */
  async rowsOf(places: readonly OrderPlace[]): Promise<readonly ParentOrder[]> {
    const texts = await this.#rows.get(places.map(endedKey));
    return places.flatMap(({ orderId }, place) => {
      const text = texts[place];
      return text === undefined ? [] : [decodeParent(text, orderId)];
    });
  }

  async page({ accountId, afterOrderId, newestFirst, limit }: EndedPage): Promise<readonly ParentOrder[]> {
    const range = { ...under(keyOf("ended", accountId)), limit, reverse: newestFirst };
    const cursor = endedKey({ accountId, orderId: afterOrderId });
    if (afterOrderId !== 0 && newestFirst) range.before = cursor;
    else if (afterOrderId !== 0) range.from = `${cursor} `;
    const entries = await this.#rows.range(range);
    return entries.map(([key, text]) => decodeParent(text, -numberIn(partsOf(key)[1])));
  }

  /** Returns the parents of a shard by falling id. */
  async ofShard(
    range: Readonly<{ shard: number; afterOrderId: number; limit: number }>,
  ): Promise<readonly ParentOrder[]> {
    const { shard, afterOrderId, limit } = range;
    const prefix = keyOf("order", shardDigits(shard));
    const bounds = under(prefix, afterOrderId >= 0 ? undefined : `${prefix} ${digits(-afterOrderId)}`);
    const found: ParentOrder[] = [];
    // A row that was deleted after its index was read leaves room for the next one.
    for await (const entries of this.#rows.pages(bounds, limit)) {
      for (const order of await this.rowsOf(entries.map(placeIn)))
        if (found.length < limit) found.push(order);
      if (found.length === limit) break;
    }
    return found;
  }

  /** The number belongs to the last record if that is the same before and after it was read. */
  async count({ accountId, shard }: Readonly<{ accountId: number; shard: number }>): Promise<EndedCount> {
    for (let sequence = await this.#journal.last(shard); ; ) {
      const count = countIn(await this.#rows.value(countKey(accountId)));
      const now = await this.#journal.last(shard);
      if (now === sequence) return { count, sequence };
      sequence = now;
    }
  }

  async names({ after, limit }: EndedNamePage): Promise<readonly EndedName[]> {
    const bounds = under("name", after && nameKey(after.accountId, after.clientOrderId));
    return (await this.#rows.range({ ...bounds, limit })).map(([key]) => {
      const [account, name = ""] = partsOf(key);
      return { accountId: numberIn(account), clientOrderId: unescaped(name) };
    });
  }

  async findList(key: EndedListKey): Promise<EndedList | undefined> {
    const { accountId } = key;
    const listId =
      "listId" in key ? key.listId : await this.#named(listNameKey(accountId, key.listClientOrderId));
    return listId === undefined ? undefined : await this.list(accountId, listId);
  }

  /** Returns a list of an account. */
  async list(accountId: number, listId: number): Promise<EndedList | undefined> {
    const text = await this.#rows.value(listKey(accountId, listId));
    return text === undefined ? undefined : listIn(text, listId);
  }

  async pageLists(page: EndedListPage): Promise<readonly EndedList[]> {
    const { accountId, startTimeMs = 0, endTimeMs = Number.MAX_SAFE_INTEGER, limit } = page;
    if (endTimeMs < 0) return [];
    const range = {
      from: keyOf("accepted", accountId, Math.max(0, Math.ceil(startTimeMs))),
      before: `${keyOf("accepted", accountId, Math.floor(endTimeMs))}!`,
    };
    const lists: EndedList[] = [];
    for await (const entries of this.#rows.pages({ ...range, reverse: true }, limit)) {
      const ids = entries.map(([key]) => -numberIn(partsOf(key)[2]));
      const texts = await this.#rows.get(ids.map((listId) => listKey(accountId, listId)));
      for (const [place, text] of texts.entries())
        if (text !== undefined && lists.length < limit) lists.push(listIn(text, ids[place] ?? 0));
      if (lists.length >= limit) break;
    }
    return lists;
  }

  /** Returns the ended legs of a list. */
  async legsOf(listId: number): Promise<readonly ParentOrder[]> {
    const entries = await this.#rows.range({
      ...under(keyOf("leg", -listId)),
      limit: Number.MAX_SAFE_INTEGER,
    });
    return await this.rowsOf(entries.map(placeIn));
  }
}

/** Returns a stored list. */
export function listIn(text: string, listId: number): EndedList {
  const list = readJson(text) as unknown as EndedList;
  if (list.listId !== listId)
    throw new InvariantError("I53", `the row of list ${listId} is that of ${list.listId}`);
  return list;
}
