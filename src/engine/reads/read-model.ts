import { type JournalRecord, type ParentOrder, shardOfId } from "../../model/index.ts";
import type { EndedPage, OrderStore } from "../../ports/index.ts";
import type { PageRequest, ParentKey, ParentPage } from "../core/calls.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { readEndedOrder, stored } from "../core/stored.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";

/** Approximate size of a row in a reply, without its weights. */
const ROW_BYTES = 1_024;

/** Rows of the first read of ended parents. Later reads ask for more rows while the rows are small. */
const FIRST_READ = 32;

/** Limits of a page. */
type PageBound = Readonly<{ limit: number; maxBytes: number }>;

/** Length of weights as text. Weights are written out once to measure them, however many pages show them. */
const textBytes: WeakMap<Weights, number> = new WeakMap();

type Weights = NonNullable<NonNullable<ParentOrder["intent"]["schedule"]>["weights"]>;

/** Returns the approximate size of a parent in a reply. Only the weights of a schedule can be long. */
function bytesOf({ intent }: ParentOrder): number {
  const weights = intent.schedule?.weights;
  if (weights === undefined) return ROW_BYTES;
  const bytes = textBytes.get(weights) ?? weights.join().length;
  textBytes.set(weights, bytes);
  return ROW_BYTES + bytes;
}

/** Returns the first rows that a page may hold, at least one. The cursor is the last of them if more rows follow. */
export function pageOf(
  orders: readonly ParentOrder[],
  page: PageBound & Readonly<{ total: number }>,
): ParentPage {
  const shown: ParentOrder[] = [];
  let bytes = 0;
  for (const order of orders) {
    if (shown.length === page.limit || bytes >= page.maxBytes) break;
    shown.push(order);
    bytes += bytesOf(order);
  }
  const last = shown.at(-1);
  const nextOrderId = shown.length < orders.length && last !== undefined ? last.orderId : 0;
  return { total: page.total, nextOrderId, orders: shown };
}

/**
 * Reads ended parents in reading order, at least one more than a page may hold if there are that many. Reads in
 * parts, so that memory never holds more large rows than a page needs.
 */
async function readEndedRows(
  read: OrderStore["pageEnded"],
  page: Omit<EndedPage, "limit">,
  { limit, maxBytes }: PageBound,
): Promise<readonly ParentOrder[]> {
  const rows: ParentOrder[] = [];
  let { afterOrderId } = page;
  let bytes = 0;
  for (let most = FIRST_READ; ; ) {
    const wanted = Math.min(most, limit + 1 - rows.length);
    const part = await read({ ...page, afterOrderId, limit: wanted });
    let partBytes = 0;
    for (const order of part) {
      rows.push(order);
      if (bytes >= maxBytes) return rows;
      const rowBytes = bytesOf(order);
      partBytes += rowBytes;
      bytes += rowBytes;
    }
    afterOrderId = part.at(-1)?.orderId ?? 0;
    if (part.length < wanted || rows.length > limit) return rows;
    if (partBytes <= 2 * ROW_BYTES * part.length) most *= 2;
  }
}

/** Answers reads from durable state only: open parents from memory, ended ones from the store. */
export class ReadModel {
  readonly #core: Core;
  readonly #shards: Shards;

  constructor(core: Core, shards: Shards) {
    this.#core = core;
    this.#shards = shards;
  }

  /** Returns the shard of an account. Throws SHARD_FENCED or SHARD_ELSEWHERE when this engine does not own it. */
  ownShard(accountId: number): Shard {
    return owned(this.#shards.ofAccount(accountId));
  }

  /**
   * Throws DISCONNECTED if a page of the account would lack a parent that may be durable, and whose caller was told that the
   * outcome is unknown (I71).
   */
  requireWhole(accountId: number): void {
    const shard = this.ownShard(accountId);
    if (shard.isInDoubt && shard.accounts.get(accountId)?.isUndecided === true)
      throw new EngineError("DISCONNECTED", { acceptance: "unknown" });
  }

  /**
   * Returns an open parent of an account in its durable state. Throws DISCONNECTED for one whose acceptance is not known
   * to be durable: it can be answered for neither as there nor as not there (I71).
   */
  findOpen(key: ParentKey): ParentOrder | undefined {
    return decided(this.#live(key));
  }

  /** Resolves to a parent, open or ended. Rejects as `findOpen` throws. */
  async find(key: ParentKey): Promise<ParentOrder | undefined> {
    const open = this.#live(key)?.durable;
    const found = open ?? (await stored(this.#core, () => this.#core.store.findEnded(key)));
    return found ?? this.findOpen(key);
  }

  /** Resolves to an order by its managed id alone; undefined if the id is not a managed id. */
  async findAny(orderId: number): Promise<ParentOrder | undefined> {
    if (!Number.isSafeInteger(orderId) || orderId >= 0) return undefined;
    const live = (): LiveOrder | undefined => owned(this.#shards.ofOrder(orderId)).liveOrders.get(orderId);
    return live()?.durable ?? (await this.findEnded(orderId)) ?? decided(live());
  }

  #live(key: ParentKey): LiveOrder | undefined {
    const shard = this.ownShard(key.accountId);
    const live =
      "orderId" in key
        ? shard.liveOrders.get(key.orderId)
        : shard.accounts.get(key.accountId)?.byClientId.get(key.clientOrderId);
    return live?.working.accountId === key.accountId ? live : undefined;
  }

  /** Resolves to an ended parent by its id alone. Its row contains its account. */
  async findEnded(orderId: number): Promise<ParentOrder | undefined> {
    const { store } = this.#core;
    return await readEndedOrder((page) => stored(this.#core, () => store.readEnded(page)), orderId);
  }

  /**
   * Resolves to a page of an account's parents (I70), limited in rows and in bytes. Held legs appear only with
   * history. Open parents are read first. A parent that ends meanwhile is found as ended, and is subtracted from the
   * count of ended parents, because it is among the open ones already. Rejects as `requireWhole` throws.
   */
  async page(request: PageRequest): Promise<ParentPage> {
    const { accountId, includeHistory, newestFirst, limit, afterOrderId } = request;
    const bound = { limit, maxBytes: this.#core.settings.maxPageBytes };
    this.requireWhole(accountId);
    const shard = this.ownShard(accountId);
    const account = shard.accounts.get(accountId);
    const open: ParentOrder[] = [];
    for (const orderId of account?.after(afterOrderId, newestFirst) ?? []) {
      const order = shard.liveOrders.get(orderId)?.durable;
      if (order === undefined || order.ended !== undefined || (order.held && !includeHistory)) continue;
      open.push(order);
      if (open.length > limit) break;
    }
    const openCount = account?.confirmed ?? 0;
    if (!includeHistory) return pageOf(open, { ...bound, total: openCount - (account?.held.size ?? 0) });
    const { store } = this.#core;
    const endings = shard.endings.watch(accountId);
    try {
      const ended = await readEndedRows(
        (page) => stored(this.#core, () => store.pageEnded(page)),
        { accountId, afterOrderId, newestFirst },
        bound,
      );
      const { count, sequence } = await shard.endings.counts.of(accountId, () =>
        stored(this.#core, () => store.countEnded({ accountId, shard: shard.number })),
      );
      const total = openCount + count - endings.until(sequence);
      return pageOf(merge(open, ended, newestFirst), { ...bound, total });
    } finally {
      endings.end();
    }
  }

  /** Resolves to the records of an order, oldest first. Follows the links from each record to the previous one. */
  async records(order: ParentOrder): Promise<readonly JournalRecord[]> {
    const shard = shardOfId(order.orderId);
    const records: JournalRecord[] = [];
    for (let sequence = order.lastSequence; sequence > 0; ) {
      const [record] = await stored(this.#core, () =>
        this.#core.store.readRecords({ shard, after: sequence - 1, limit: 1 }),
      );
      if (record?.sequence !== sequence) break;
      records.push(record);
      sequence = record.changes.find((change) => change.orderId === order.orderId)?.previous ?? 0;
    }
    return records.reverse();
  }
}

/**
 * Returns the shard. Throws SHARD_FENCED or SHARD_ELSEWHERE for one that this engine does not own. It cannot answer for
 * it, and must not answer "not there" (I60, I71).
 */
export function owned(shard: Shard): Shard {
  if (shard.state === "fenced") throw new EngineError("SHARD_FENCED", { shard: shard.number });
  if (shard.state === "elsewhere") throw new EngineError("SHARD_ELSEWHERE", { shard: shard.number });
  return shard;
}

/** Returns the durable state of a parent. Throws DISCONNECTED for one whose acceptance is not known to be durable. */
function decided(live: LiveOrder | undefined): ParentOrder | undefined {
  if (live !== undefined && live.durable === undefined)
    throw new EngineError("DISCONNECTED", { acceptance: "unknown" });
  return live?.durable;
}

/** Merges two lists in reading order. An order in both has ended meanwhile and counts as ended. */
function merge(
  open: readonly ParentOrder[],
  ended: readonly ParentOrder[],
  newestFirst: boolean,
): readonly ParentOrder[] {
  const byId = new Map([...open, ...ended].map((order) => [order.orderId, order]));
  const direction = newestFirst ? 1 : -1;
  return [...byId.values()].sort((a, b) => direction * (a.orderId - b.orderId));
}
