import { PRICE_LIMIT, QUANTITY_LIMIT } from "../decimal/index.ts";
import { type JournalRecord, MARKET_SHARD, type PricedPrint, SHARD_COUNT } from "../model/index.ts";
import type {
  AppendOutcome,
  ClusterView,
  EndedName,
  EndedNamePage,
  NodeRow,
  NodeState,
  NodeWish,
  PlacedPrint,
  PrintPlace,
  PrintRange,
  Renewal,
  ShardHead,
  ShardLeases,
  ShardOwner,
  ShardSet,
  TailRange,
} from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import {
  amountOf,
  flagOf,
  itemsOf,
  membersOf,
  presentOf,
  requireThat,
  textOf,
  wholeOf,
  wordOf,
} from "./reading.ts";

/**
 * Reads a store's outcomes of an append of `shards` shards. Throws an UnreadableAnswer for anything else: it is then
 * unknown what is durable, and the store is read.
 */
export function readOutcomes(answer: unknown, shards: number): readonly AppendOutcome[] {
  const outcomes = itemsOf(answer, "the list of outcomes", shards);
  requireThat(outcomes.length === shards, "the list of outcomes is too short");
  return outcomes.map((one) => wordOf<AppendOutcome>(one, "an outcome", ["durable", "fenced"]));
}

/**
 * Reads a page of names of ended orders: at most `limit`, in order, the first after `after`. Throws an
 * UnreadableAnswer for anything else, because a page out of order could omit names.
 */
export function readEndedNames(answer: unknown, { after, limit }: EndedNamePage): readonly EndedName[] {
  let last = after;
  return itemsOf(answer, "the page of names", limit).map((one) => {
    const name = readName(one);
    requireThat(last === undefined || isLaterName(name, last), "the names are not in order");
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

function isLaterName(name: EndedName, last: EndedName): boolean {
  if (name.accountId !== last.accountId) return name.accountId > last.accountId;
  return name.clientOrderId > last.clientOrderId;
}

/** The part of the leases of a store that an operator needs. */
type OperatorLeases = Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">;

/** Most rows of nodes in one view. Rows of nodes that failed are deleted long before there are so many. */
const MOST_NODES = 100_000;

/** Number of the shards, the market journal included. */
const OWNED_COUNT = MARKET_SHARD + 1;

/** Most kinds of facts in the row of one node. */
const MOST_KINDS = 10_000;

const LONGEST_TEXT = 200;

/** The last time that a date can show, in epoch milliseconds. */
const LAST_MS = 8_640_000_000_000_000;

const WISHES: readonly NodeWish[] = ["hand-over"];
const STATES: readonly NodeState[] = ["following", "ready", "active", "handing-over"];

/**
 * Wraps the leases of a store: each call has the deadline `hostTimeoutMs`, and each answer is read. A call rejects with
 * an UnreadableAnswer or a SilentHost, and then nothing is known about its effect; errors of the store pass through.
 */
export function checkedLeases(leases: ShardLeases, questions: Questions): ShardLeases {
  const ignored = (): void => undefined;
  return {
    join: (entry) => questions.inTime(() => leases.join(entry), readJoined),
    renew: (node) => questions.inTime(() => leases.renew(node), readRenewal),
    ...checkedForOperator(leases, questions),
    retire: (watched) =>
      questions.inTime(
        () => leases.retire(watched),
        (answer) => flagOf(answer, "the answer to retire"),
      ),
    claim: (set) => questions.inTime(() => leases.claim(set), readClaim, set),
    release: (set) => questions.inTime(() => leases.release(set), ignored),
    leave: (incarnation) => questions.inTime(() => leases.leave(incarnation), ignored),
    tail: (range) => questions.inTime(() => leases.tail(range), readTail, range),
    prints: (range) => questions.inTime(() => leases.prints(range), readPrints, range),
  };
}

/** Wraps the part of the leases that an operator needs, as {@link checkedLeases} does. */
export function checkedForOperator(leases: OperatorLeases, questions: Questions): OperatorLeases {
  return {
    heads: () => questions.inTime(() => leases.heads(), readHeads),
    want: (wish) =>
      questions.inTime(
        () => leases.want(wish),
        (answer) => flagOf(answer, "the answer to want"),
      ),
    nodes: () => questions.inTime(() => leases.nodes(), readView),
    assign: (assignment) =>
      questions.inTime(
        () => leases.assign(assignment),
        (answer) => wholeOf(answer, "the number of assigned shards", { to: assignment.shards.length }),
      ),
  };
}

function readJoined(answer: unknown): Readonly<{ incarnation: number; clockMs: number }> {
  const { incarnation, clockMs } = membersOf(answer, "the answer to join");
  return { incarnation: incarnationOf(incarnation), clockMs: timeOf(clockMs) };
}

function readRenewal(answer: unknown): Renewal {
  const renewal = membersOf(answer, "a renewal");
  return {
    alive: flagOf(renewal.alive, "alive of a renewal"),
    clockMs: timeOf(renewal.clockMs),
    ...presentOf(renewal, RENEWAL_MORE),
  };
}

const wishOf = (answer: unknown): NodeWish => wordOf(answer, "what is wanted of a node", WISHES);

const RENEWAL_MORE = {
  elsewhere: (answer: unknown) => flagOf(answer, "elsewhere of a renewal"),
  wanted: wishOf,
};

/** Reads all rows and owners: each node once, and each of the shards and the market journal once. */
function readView(answer: unknown): ClusterView {
  const { nodes, shards } = membersOf(answer, "the view of the nodes");
  const rows = itemsOf(nodes, "the list of nodes", MOST_NODES).map(rowOf);
  const incarnations = new Set(rows.map(({ incarnation }) => incarnation));
  requireThat(incarnations.size === rows.length, "the list of nodes has one of them twice");
  const owners = itemsOf(shards, "the list of owners", OWNED_COUNT).map(ownerOf);
  return { nodes: rows, shards: eachOnce(owners, OWNED_COUNT) };
}

function rowOf(answer: unknown): NodeRow {
  const row = membersOf(answer, "the row of a node");
  const kinds = itemsOf(row.kinds, "kinds of a node", MOST_KINDS);
  return {
    incarnation: incarnationOf(row.incarnation),
    name: textOf(row.name, "the name of a node", { most: LONGEST_TEXT }),
    address: textOf(row.address, "the address of a node", { from: 0, most: LONGEST_TEXT }),
    version: textOf(row.version, "the version of a node", { from: 0, most: LONGEST_TEXT }),
    format: wholeOf(row.format, "the format of a node"),
    kinds: kinds.map((kind) => textOf(kind, "a kind of a node", { most: LONGEST_TEXT })),
    state: wordOf(row.state, "the state of a node", STATES),
    beat: wholeOf(row.beat, "the beat of a node"),
    dead: flagOf(row.dead, "dead of a node"),
    ttlMs: wholeOf(row.ttlMs, "ttlMs of a node", { from: 1 }),
    ...presentOf(row, ROW_MORE),
  };
}

const ROW_MORE = {
  wanted: wishOf,
  followed: (answer: unknown) => wholeOf(answer, "what a node has read"),
  shares: (answer: unknown) => flagOf(answer, "shares of a node"),
};

function ownerOf(answer: unknown): ShardOwner {
  const owner = membersOf(answer, "the owner of a shard");
  return {
    shard: ownedOf(owner.shard),
    epoch: wholeOf(owner.epoch, "the epoch of a shard"),
    ...presentOf(owner, { incarnation: incarnationOf, next: incarnationOf }),
  };
}

/** Reads the answer to a claim. One that took only some of its shards, or others, is none. */
function readClaim(answer: unknown, { shards }: ShardSet): readonly ShardHead[] | undefined {
  if (answer === undefined) return undefined;
  const heads = eachOnce(itemsOf(answer, "the claim", shards.length).map(headOf), shards.length);
  const requested = new Set(shards);
  requireThat(
    heads.every(({ shard }) => requested.has(shard)),
    "the claim took a shard that was not asked for",
  );
  return heads;
}

function readHeads(answer: unknown): readonly ShardHead[] {
  const heads = eachOnce(itemsOf(answer, "the heads of all shards", SHARD_COUNT).map(headOf), SHARD_COUNT);
  for (const { shard } of heads) shardOf(shard);
  return heads;
}

function headOf(answer: unknown): ShardHead {
  const { shard, epoch, sequence, forgotten } = membersOf(answer, "the head of a shard");
  return {
    shard: ownedOf(shard),
    epoch: wholeOf(epoch, "the epoch of a shard"),
    sequence: wholeOf(sequence, "the sequence of a shard"),
    ...(forgotten !== undefined && { forgotten: wholeOf(forgotten, "forgotten of a shard") }),
  };
}

/**
 * Reads the place of each record: a shard that exists, and after the position that was asked for and the record before.
 * So every page goes on, and a reader of pages comes to an end.
 */
function readTail(answer: unknown, { after, limit }: TailRange): readonly JournalRecord[] {
  const last = [...after];
  const records = itemsOf(answer, "the tail", limit);
  for (const one of records) {
    const { shard, sequence, changes } = membersOf(one, "a record of the tail");
    const place = shardOf(shard);
    const next = wholeOf(sequence, "the sequence of a record of the tail");
    requireThat(next > (last[place] ?? 0), "the records of a shard in the tail are not in order");
    requireThat(Array.isArray(changes), "the changes of a record of the tail are not an array");
    last[place] = next;
  }
  return records as readonly JournalRecord[];
}

/** Reads stored prints, each after the place that was asked for and after the print before. */
function readPrints(answer: unknown, { after, limit }: PrintRange): readonly PlacedPrint[] {
  let last = after;
  return itemsOf(answer, "the prints", limit).map((one) => {
    const { place, print } = membersOf(one, "a placed print");
    const read = { place: placeOf(place), print: printOf(print) };
    requireThat(last === undefined || isAfter(read.place, last), "the stored prints are not in order");
    last = read.place;
    return read;
  });
}

function placeOf(answer: unknown): PrintPlace {
  const { owner, position } = membersOf(answer, "the place of a print");
  return {
    owner: wholeOf(owner, "the owner of a print"),
    position: wholeOf(position, "the position of a print"),
  };
}

const isAfter = (a: PrintPlace, b: PrintPlace): boolean =>
  a.owner > b.owner || (a.owner === b.owner && a.position > b.position);

function printOf(answer: unknown): PricedPrint {
  const { symbol, id, price, quantity, timeMs, seenAtMs, fresh } = membersOf(answer, "a stored print");
  return {
    symbol: textOf(symbol, "the symbol of a print"),
    id: textOf(id, "the id of a print"),
    price: amountOf(price, "the price of a print", PRICE_LIMIT),
    quantity: amountOf(quantity, "the quantity of a print", QUANTITY_LIMIT),
    timeMs: wholeOf(timeMs, "the time of a print", { to: LAST_MS }),
    seenAtMs: wholeOf(seenAtMs, "when a print was first seen", { to: LAST_MS }),
    fresh: flagOf(fresh, "fresh of a print"),
  };
}

/** Returns the shards by rising number: nodes decide in this order, so it must not depend on the store. */
function eachOnce<T extends Readonly<{ shard: number }>>(all: readonly T[], count: number): readonly T[] {
  const byNumber = [...all].sort((a, b) => a.shard - b.shard);
  const isEachOnce = byNumber.every(({ shard }, index) => shard !== byNumber[index - 1]?.shard);
  requireThat(all.length === count && isEachOnce, "a shard is missing or there twice");
  return byNumber;
}

const ownedOf = (answer: unknown): number => wholeOf(answer, "the number of a shard", { to: MARKET_SHARD });
const shardOf = (answer: unknown): number =>
  wholeOf(answer, "the number of a shard", { to: SHARD_COUNT - 1 });
const incarnationOf = (answer: unknown): number => wholeOf(answer, "the incarnation of a node", { from: 1 });
const timeOf = (answer: unknown): number => wholeOf(answer, "the clock of the store", { to: LAST_MS });
