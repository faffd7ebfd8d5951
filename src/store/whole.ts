import { errorMessage } from "../common/index.ts";
import { invariant } from "../errors/index.ts";
import { SHARD_COUNT } from "../model/index.ts";
import type { Entry, Storage } from "../ports/index.ts";
import { decodeParent, decodeParents } from "../wire/index.ts";
import { allRows } from "./copy.ts";
import { endedKey, indexKeys, listIn, listKeys, nameKey } from "./ended.ts";
import { headIn, headKey, prunedKey, sequenceIn } from "./journal.ts";
import { lastUnder, numberIn, partsOf, shardDigits } from "./keys.ts";
import { figuresIn, markIn, placedIn, quantityIn, quoteIn } from "./market.ts";
import { rejectionIn } from "./rejections.ts";
import { headerIn, headerKey, partKeys } from "./snapshots.ts";

/** The end of the journal of a shard as its rows say. */
export type VerifiedHead = Readonly<{ shard: number; sequence: number; forgotten: number }>;

/** How the rows of a storage are verified. */
export type RowsVerification = Readonly<{
  /** The driver itself: its values may have checksums, which `valueIn` checks. */
  storage: Storage;
  /** Returns the value of a row. Throws if it is damaged. */
  valueIn: (entry: Entry) => string;
  /** Called with every record whose row is not damaged. It may throw. */
  record: (record: Readonly<{ shard: number; sequence: number; text: string }>) => void;
  /** Called with a text about each problem. */
  problem: (text: string) => void;
  /** Called with the number of rows read since. */
  progress: (rows: number) => void;
}>;

/** Reads the heads of all shards. Those that cannot be read are told as problems. */
export async function verifiedHeads(
  work: Pick<RowsVerification, "storage" | "valueIn" | "problem">,
): Promise<readonly VerifiedHead[]> {
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  const keys = [...shards.map(headKey), ...shards.map(prunedKey), ...shards.map(headerKey)];
  const values = await work.storage.get(keys);
  const ends = await work.storage.range(shards.map((shard) => lastUnder(`log ${shardDigits(shard)}`)));
  return shards.flatMap((shard): readonly VerifiedHead[] => {
    const [head, gone, header] = [shard, SHARD_COUNT + shard, 2 * SHARD_COUNT + shard].map((place) => {
      const [key, value] = [keys[place] ?? "", values[place]];
      return value === undefined ? undefined : attempt(work, () => work.valueIn([key, value]));
    });
    const read = attempt(work, () => {
      const forgotten = gone === undefined ? 0 : numberIn(gone);
      const snapshot = header === undefined ? 0 : headerIn(shard, header).sequence;
      // Without the records in between, an opening cannot build the state of the shard.
      if (snapshot < forgotten)
        work.problem(
          `records up to ${forgotten} of shard ${shard} have left, and its snapshot ends with record ${snapshot}`,
        );
      headIn(head);
      return { shard, sequence: sequenceIn(ends[shard]?.[0]?.[0]), forgotten };
    });
    return read === undefined ? [] : [read];
  });
}

function attempt<T>({ problem }: Pick<RowsVerification, "problem">, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problem(errorMessage(error));
    return undefined;
  }
}

/**
 * Reads every row of a storage. Each must be readable, and there must be what belongs to it: the indexes of ended orders and
 * lists, the number of those of an account, the parts of a snapshot. Whether all records are there is the caller's to tell,
 * who may have an archive.
 */
export async function verifyRows(work: RowsVerification): Promise<void> {
  const found: Found = { kinds: new Map(), counts: new Map() };
  for await (const page of allRows(work.storage)) {
    const needed: Needed[] = [];
    for (const entry of page) {
      const [kind = ""] = entry[0].split(" ", 1);
      found.kinds.set(kind, (found.kinds.get(kind) ?? 0) + 1);
      const value = attempt(work, () => work.valueIn(entry));
      if (value === undefined) continue;
      for (const one of attempt(work, () => readRow({ work, found, kind }, [entry[0], value])) ?? [])
        needed.push(one);
    }
    await requireThere(work, needed);
    work.progress(page.length);
  }
  requireNumbers(work, found);
}

/** Numbers of rows by kind, and by account the number of ended parents less what is stored as that number. */
type Found = Readonly<{ kinds: Map<string, number>; counts: Map<number, number> }>;

/** A key that must be there because of another row. */
type Needed = Readonly<{ key: string; of: string }>;

type Reading = Readonly<{ work: RowsVerification; found: Found; kind: string }>;

/** Reads a row. Returns which other rows it needs. Throws if it cannot be read. */
function readRow({ work, found, kind }: Reading, [key, value]: Entry): readonly Needed[] {
  const parts = partsOf(key);
  const needed = (keys: readonly string[], of: string): readonly Needed[] =>
    keys.map((one) => ({ key: one, of }));
  const count = (accountId: number, by: number): void =>
    void found.counts.set(accountId, (found.counts.get(accountId) ?? 0) + by);
  switch (kind) {
    case "log":
      work.record({ shard: numberIn(parts[0]), sequence: numberIn(parts[1]), text: value });
      return [];
    case "ended": {
      const order = decodeParent(value, -numberIn(parts[1]));
      const { orderId, accountId, intent } = order;
      invariant(endedKey(order) === key, "I53", `order ${orderId} is stored in another place`);
      count(accountId, 1);
      return needed([...indexKeys(order), nameKey(accountId, intent.clientOrderId)], `order ${orderId}`);
    }
    case "count":
      count(numberIn(parts[0]), -numberIn(value));
      return [];
    case "list": {
      const list = listIn(value, -numberIn(parts[1]));
      return needed(listKeys(list), `list ${list.listId}`);
    }
    case "snapshot": {
      const shard = numberIn(parts[0]);
      return needed(partKeys(shard, headerIn(shard, value)), `the snapshot of shard ${shard}`);
    }
    default:
      READERS[kind]?.([key, value]);
      return [];
  }
}

/** What else can be read wrongly. */
const READERS: Readonly<Record<string, (entry: Entry) => unknown>> = {
  snap: ([, value]) => decodeParents(value),
  mark: markIn,
  quote: quoteIn,
  place: placedIn,
  total: ([, value]) => quantityIn(value),
  bar: ([, value]) => quantityIn(value),
  pricebar: ([, value]) => figuresIn(value),
  reject: ([, value]) => rejectionIn(value),
};

async function requireThere(
  { storage, problem }: RowsVerification,
  needed: readonly Needed[],
): Promise<void> {
  if (needed.length === 0) return;
  const values = await storage.get(needed.map(({ key }) => key));
  for (const [place, { key, of }] of needed.entries())
    if (values[place] === undefined) problem(`the row "${key}" of ${of} is missing`);
}

/** Rows that name orders or lists which are not there would be as many more. */
function requireNumbers({ problem }: RowsVerification, { kinds, counts }: Found): void {
  const number = (kind: string): number => kinds.get(kind) ?? 0;
  for (const [what, named, stored] of [
    ["ended orders of shards", number("order"), number("ended")],
    ["client ids of ended orders", number("name"), number("ended")],
    ["ended orders by time and list", number("time") + number("leg"), number("ended")],
    ["client ids of ended lists", number("listname"), number("list")],
    ["ended lists by time", number("listtime"), number("list")],
    ["ended lists of accounts", number("accepted"), number("list")],
  ] as const)
    if (named !== stored) problem(`there are ${named} ${what}, but ${stored} are stored`);
  for (const [accountId, wrong] of counts)
    if (wrong !== 0) problem(`the number of ended orders of account ${accountId} is wrong by ${wrong}`);
}
