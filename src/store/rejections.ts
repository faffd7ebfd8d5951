import { matches, type RejectionBounds, type RejectionTable } from "../adapters/shared/index.ts";
import { formatPrice, formatQuantity, parsePrice, parseQuantity } from "../decimal/index.ts";
import { invariant } from "../errors/index.ts";
import type { Rejection } from "../model/index.ts";
import type { Entry, RejectionQuery } from "../ports/index.ts";
import { readJson } from "../wire/index.ts";
import { countIn, escaped, keyOf, numberIn, partsOf, under } from "./keys.ts";
import type { Change, Rows } from "./rows.ts";

/** Rows that one write deletes, so that it stays short. */
const DELETED_AT_ONCE = 200;

/** Characters of a client id in a key. A refused request may have had a longer one. */
const LONGEST_NAME = 200;

type Place = Readonly<{ accountId: number; position: number; name: string; timeMs: number }>;

const nameOf = (clientOrderId: string): string => escaped(clientOrderId).slice(0, LONGEST_NAME);

const lastKey = (accountId: number): string => keyOf("rejects", accountId);

const rowKey = (accountId: number, position: number): string => keyOf("reject", accountId, position);

const keysAt = ({ accountId, position, name, timeMs }: Place): readonly [string, string, string] => [
  rowKey(accountId, position),
  keyOf("rejectname", accountId, name, position),
  keyOf("rejecttime", timeMs, accountId, position),
];

/** Retained rejections. Those of an account have positions that rise in the order in which they were written. */
export function rejectionTable(rows: Rows): RejectionTable {
  return {
    async add(rejections, bounds) {
      const accounts = [...new Set(rejections.map(({ accountId }) => accountId))];
      const last = new Map<number, number>();
      await rows.write({
        reads: accounts.map(lastKey),
        change(valueAt): Change {
          for (const accountId of accounts) last.set(accountId, countIn(valueAt(lastKey(accountId))));
          const puts = rejections.flatMap((rejection): readonly Entry[] => {
            const { accountId, clientOrderId, timeMs } = rejection;
            const position = (last.get(accountId) ?? 0) + 1;
            last.set(accountId, position);
            const name = nameOf(clientOrderId);
            const [row, byName, byTime] = keysAt({ accountId, position, name, timeMs });
            return [
              [row, textOf(rejection)],
              [byName, ""],
              [byTime, name],
            ];
          });
          return {
            puts: [...puts, ...[...last].map(([id, position]): Entry => [lastKey(id), `${position}`])],
          };
        },
      });
      await trim(rows, last, bounds);
    },
    list: (query) => list(rows, query),
  };
}

/** Deletes some of the rejections that are too old, and of those that an account has too many. */
async function trim(
  rows: Rows,
  last: ReadonlyMap<number, number>,
  { beforeMs, perAccount }: RejectionBounds,
): Promise<void> {
  const deletes = new Set<string>();
  const old = { from: "rejecttime ", before: keyOf("rejecttime", Math.max(0, Math.ceil(beforeMs))) };
  for (const [key, name] of await rows.range({ ...old, limit: DELETED_AT_ONCE })) {
    const [timeMs = 0, accountId = 0, position = 0] = partsOf(key).map(numberIn);
    for (const gone of keysAt({ accountId, position, name, timeMs })) deletes.add(gone);
  }
  for (const [accountId, position] of last) {
    if (position <= perAccount) continue;
    const before = rowKey(accountId, position - perAccount + 1);
    const { from } = under(keyOf("reject", accountId));
    for (const [key, text] of await rows.range({ from, before, limit: DELETED_AT_ONCE })) {
      const { clientOrderId, timeMs } = rejectionIn(text);
      const place = { accountId, position: numberIn(partsOf(key)[1]), name: nameOf(clientOrderId), timeMs };
      for (const gone of keysAt(place)) deletes.add(gone);
    }
  }
  if (deletes.size > 0) await rows.write({ reads: [], change: () => ({ deletes: [...deletes] }) });
}

/** Returns the newest `limit` rejections of a query, oldest first. */
async function list(rows: Rows, query: RejectionQuery): Promise<readonly Rejection[]> {
  const { accountId, clientOrderId, limit } = query;
  const bounds =
    clientOrderId === undefined
      ? under(keyOf("reject", accountId))
      : under(keyOf("rejectname", accountId, nameOf(clientOrderId)));
  const found: Rejection[] = [];
  for await (const page of rows.pages({ ...bounds, reverse: true })) {
    const texts =
      clientOrderId === undefined
        ? page.map(([, text]) => text)
        : await rows.get(page.map(([key]) => rowKey(accountId, numberIn(partsOf(key)[2]))));
    for (const text of texts) {
      const rejection = text === undefined ? undefined : rejectionIn(text);
      if (rejection !== undefined && matches(rejection, query)) found.push(rejection);
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit).reverse();
}

/** A rejection whose amounts are canonical decimal text. */
type StoredRejection = Omit<Rejection, Amount> & Partial<Record<Amount, string>>;
type Amount = "price" | "stopPrice" | "quantity";

function textOf({ price, stopPrice, quantity, ...rejection }: Rejection): string {
  return JSON.stringify({
    ...rejection,
    ...(price !== undefined && { price: formatPrice(price) }),
    ...(stopPrice !== undefined && { stopPrice: formatPrice(stopPrice) }),
    ...(quantity !== undefined && { quantity: formatQuantity(quantity) }),
  });
}

/** Returns a stored rejection. Throws an InvariantError I16 for an amount that is none. */
export function rejectionIn(text: string): Rejection {
  const { price, stopPrice, quantity, ...rejection } = readJson(text) as unknown as StoredRejection;
  return {
    ...rejection,
    ...(price !== undefined && { price: amountIn(price, parsePrice) }),
    ...(stopPrice !== undefined && { stopPrice: amountIn(stopPrice, parsePrice) }),
    ...(quantity !== undefined && { quantity: amountIn(quantity, parseQuantity) }),
  };
}

function amountIn<T>(text: string, parse: (text: string) => T | undefined): T {
  const value = parse(text);
  invariant(value !== undefined, "I16", `a stored rejection has an invalid amount: ${text}`);
  return value;
}
