import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView, NodeRow, ShardOwner } from "../ports/index.ts";
import { livingIn, ownedBy } from "./cluster-views.ts";
import type { ReadTimes } from "./node-watch.ts";

/** Most account shards that one claim asks for: a single one that another node has taken refuses the whole set. */
const MOST_IN_SET = 32;

/** Most shards that are on their way at once, so that only a few have no engine at the same time. */
const MOST_ON_WAY = 16;

/** Shares may differ by this many shards, or by this part of an even share if that is more, before anything moves. */
const TOLERATED = 2;
const TOLERATED_PART = 0.1;

/**
 * One reading of the cluster by a node that shares the shards. All decisions are made from it, and nodes that read the same
 * decide the same. What a node has claimed, released and assigned itself must be in it: it reads after its own calls were
 * answered. What others did since does no harm.
 */
export type ShareReading = Readonly<{
  view: ClusterView;
  /** Incarnation of the node that decides. */
  own: number;
  /** Most shards that it takes, with the market journal as one of them. The other nodes do not know this number. */
  mostShards: number;
  /** Nodes that are not dead. */
  live: ReadonlySet<number>;
  /** Nodes that own a part of the shards or could. */
  able: readonly number[];
  /** Those of them that take more shards, as far as the deciding node knows; if none does, a standby that takes what is free. */
  takers: readonly number[];
  /** Standbys that own shards although others are to have them now. They give everything away. */
  retiring: readonly number[];
  /** The deal that follows from the members above. */
  deal: Deal;
  /** Whether shards are to move now so that the shares become even. */
  isEvening: boolean;
}>;

/** What a deal is made from. */
type Dealable = Pick<ShareReading, "view" | "live" | "able" | "takers" | "retiring">;

/** Shards that their owner assigns to another node. */
export type ShareMove = Readonly<{ to: number; shards: readonly number[] }>;

/** A reading from which shares follow. */
type Shared = Dealable & Pick<ShareReading, "deal">;

/** To whom the free shards are dealt, by shard, and how many shards each node has when everything has arrived. */
type Deal = Readonly<{ dealt: ReadonlyMap<number, number>; shares: ReadonlyMap<number, number> }>;

/** Whether a node can read what the other nodes of a view write. The answer must not depend on who asks. */
type CanRead = (row: NodeRow, view: ClusterView) => boolean;

/** Returns the nodes that could run shards, by rising incarnation. */
function fitIn(view: ClusterView, canRead: CanRead): readonly NodeRow[] {
  const isFit = (row: NodeRow): boolean =>
    !row.dead && (row.state === "ready" || row.state === "active") && canRead(row, view);
  return view.nodes.filter(isFit).sort((a, b) => a.incarnation - b.incarnation);
}

/** What each node does, by rising incarnation. */
type Roles = Pick<ShareReading, "able" | "takers" | "retiring">;

/**
 * Returns which of the nodes that could run shards own some, take more, and give theirs away. Those that are no standbys share the shards. If there is none,
 * one standby has all: the one that owns most of them, of several the one with the lowest incarnation. If none of these takes
 * more, another standby takes what is free.
 */
function rolesIn(view: ClusterView, rows: readonly NodeRow[], hasRoom: (node: number) => boolean): Roles {
  const fit = rows.map(({ incarnation }) => incarnation);
  const sharing = rows.filter(({ shares }) => shares === true).map(({ incarnation }) => incarnation);
  const owned = new Map(fit.map((node) => [node, ownedBy(view, node).length]));
  const sole = largest(owned, fit);
  const able = sharing.length === 0 && sole !== undefined ? [sole] : sharing;
  const takers = able.filter(hasRoom);
  const spare = fit.find((node) => !able.includes(node) && hasRoom(node));
  if (takers.length === 0 && spare !== undefined) takers.push(spare);
  const isRetiring = (node: number): boolean => !able.includes(node) && !takers.includes(node);
  return { able, takers, retiring: fit.filter((node) => isRetiring(node) && shareOf(owned, node) > 0) };
}

/** Returns whether a shard belongs to nobody, to a dead node, or to one that is gone. */
export function isFree({ live }: Pick<ShareReading, "live">, { incarnation }: ShardOwner): boolean {
  return incarnation === undefined || !live.has(incarnation);
}

/**
 * Deals out the free shards. One that is assigned to a node is that node's; the others go by rising number, each to the taker
 * with the fewest shards, of several to the one with the lowest incarnation. A claim of what comes first in a node's part
 * does not change what is dealt to the others, so that nodes whose readings are not of the same moment seldom meet.
 */
function dealOf(reading: Dealable): Deal {
  const shares = new Map(reading.able.map((node) => [node, 0]));
  const dealt = new Map<number, number>();
  const open: number[] = [];
  for (const row of reading.view.shards) {
    const to = destinationOf(reading, row);
    if (to === undefined) open.push(row.shard);
    else add(shares, to, 1);
    if (to !== undefined && isFree(reading, row)) dealt.set(row.shard, to);
  }
  for (const shard of open) {
    const to = smallest(shares, reading.takers);
    if (to === undefined) break;
    add(shares, to, 1);
    dealt.set(shard, to);
  }
  return { dealt, shares };
}

/**
 * Returns the sets of free shards that the node claims now, each sorted. Its bound cuts off the last ones; to a node
 * that has reached it nothing is dealt. The market journal is a set of its own, so that a conflict about either costs nothing
 * of the other. A standby claims all at once, so that one node has everything.
 */
export function claimsOf(reading: ShareReading): readonly (readonly number[])[] {
  const { view, own, mostShards, deal } = reading;
  const room = mostShards - ownedBy(view, own).length;
  const claimed = view.shards.filter(({ shard }) => deal.dealt.get(shard) === own).slice(0, room);
  const shards = claimed.map(({ shard }) => shard);
  if (!isShared(reading)) return shards.length === 0 ? [] : [shards];
  const sets: (readonly number[])[] = [];
  const accounts = shards.filter((shard) => shard !== MARKET_SHARD);
  for (let from = 0; from < accounts.length; from += MOST_IN_SET)
    sets.push(accounts.slice(from, from + MOST_IN_SET));
  if (accounts.length < shards.length) sets.push([MARKET_SHARD]);
  return sets;
}

/** Returns whether no two shares differ by more than one shard, and no standby has any: there is nothing to move. */
function isEven(reading: ShareReading): boolean {
  return spreadOf(reading) <= 1 && retireeIn(reading.retiring, reading.deal.shares) === undefined;
}

/** Returns whether a node hands over and still owns shards. They go to the smallest nodes anyway. */
export function isHandOverUnderWay({ view }: ShareReading): boolean {
  return view.nodes.some((row) => isHandingOver(row) && ownedBy(view, row.incarnation).length > 0);
}

/**
 * Returns whether shares differ so much that they are to be made even, or another node has begun to do so: a shard of it is
 * on its way to a node that has no more than it even then. A move to a larger one is an operator's.
 */
function isUneven(reading: Shared): boolean {
  const { view, able, retiring, deal } = reading;
  if (retireeIn(retiring, deal.shares) !== undefined) return true;
  const tolerated = Math.max(TOLERATED, (TOLERATED_PART * view.shards.length) / able.length);
  if (spreadOf(reading) > tolerated) return true;
  return onWayIn(reading).some(
    ({ incarnation: from, next: to }) =>
      from !== undefined &&
      to !== undefined &&
      able.includes(from) &&
      shareOf(deal.shares, from) >= shareOf(deal.shares, to),
  );
}

/** Returns whether the nodes of a view make their shares even, as far as one knows who is none of them. */
export function isEvened(view: ClusterView): boolean {
  const always = (): boolean => true;
  const dealable = { view, live: livingIn(view), ...rolesIn(view, fitIn(view, always), always) };
  return isUneven({ ...dealable, deal: dealOf(dealable) });
}

/**
 * Returns the shards that the node assigns to others so that the shares become even. A standby gives everything, then the
 * largest gives to the smallest, one shard after the other, as long as not too many are on their way. Every owner goes through the
 * same steps and does its own.
 */
export function movesOf(reading: ShareReading): readonly ShareMove[] {
  const { view, own, able, takers, retiring } = reading;
  if (!reading.isEvening) return [];
  const shares = new Map(reading.deal.shares);
  const growable = takers.filter((node) => able.includes(node));
  const targets: number[] = [];
  for (let left = MOST_ON_WAY - onWayIn(reading).length; left > 0; left--) {
    const retiree = retireeIn(retiring, shares);
    const [from, to] = [
      retiree ?? largest(shares, able),
      smallest(shares, retiree === undefined ? growable : takers),
    ];
    if (from === undefined || to === undefined) break;
    if (retiree === undefined && shareOf(shares, from) - shareOf(shares, to) <= 1) break;
    add(shares, from, -1);
    add(shares, to, 1);
    if (from === own) targets.push(to);
  }
  const movable = unassigned(view, own).filter((shard) => shard !== MARKET_SHARD || retiring.includes(own));
  return movesTo(targets, movable);
}

/**
 * Returns the shards that the node assigns to others because it gives away all that it has, the market journal last;
 * undefined if no other node takes any. At most 16 of its shards are on their way, with those that are free already and not
 * claimed yet. What other owners still have does not count, so that one that is stuck stops no other.
 */
export function handOverOf(reading: ShareReading): readonly ShareMove[] | undefined {
  const { view, own } = reading;
  const others = reading.takers.filter((node) => node !== own);
  if (others.length === 0) return undefined;
  const shares = new Map(reading.deal.shares);
  const onWay = onWayIn(reading);
  const targets: number[] = [];
  for (const giver of giversIn(reading)) {
    const given = onWay.filter((row) => row.incarnation === giver || isFree(reading, row)).length;
    for (const _ of unassigned(view, giver).slice(0, Math.max(0, MOST_ON_WAY - given))) {
      const to = smallest(shares, others);
      if (to === undefined) break;
      add(shares, to, 1);
      if (giver === own) targets.push(to);
    }
  }
  return movesTo(targets, unassigned(view, own));
}

/**
 * Returns the shards that the node is to release now: those that are assigned to another node that takes them. Not more than
 * 16 of the cluster are free and on their way then, however many an operator has assigned.
 */
export function givesOf(reading: ShareReading): readonly number[] {
  const onWay = onWayIn(reading);
  const left = MOST_ON_WAY - onWay.filter((row) => isFree(reading, row)).length;
  const rows = onWay.filter(({ incarnation }) => incarnation === reading.own);
  return rows.slice(0, Math.max(0, left)).map(({ shard }) => shard);
}

/** Returns the shards of the node whose assignment is to be withdrawn: to itself, or to a node that does not take them. */
export function withdrawalsOf(reading: ShareReading): readonly number[] {
  const rows = ownedBy(reading.view, reading.own);
  return rows.filter((row) => row.next !== undefined && !isOnWay(reading, row)).map(({ shard }) => shard);
}

/** Returns the shards that another live node is about to give to the node: it should read often, to be quick. */
export function arrivalsOf(reading: ShareReading): readonly number[] {
  const { view, own } = reading;
  const isArrival = (row: ShardOwner): boolean =>
    row.next === own && row.incarnation !== own && !isFree(reading, row);
  return view.shards.filter(isArrival).map(({ shard }) => shard);
}

/** Returns whether a shard is assigned to a node that takes it and does not own it yet. */
function isOnWay({ takers }: Dealable, { incarnation, next }: ShardOwner): boolean {
  return next !== undefined && next !== incarnation && takers.includes(next);
}

const onWayIn = (reading: Dealable): readonly ShardOwner[] =>
  reading.view.shards.filter((row) => isOnWay(reading, row));

/** Returns who has a shard when everything on its way has arrived; undefined if it is free and assigned to nobody. */
function destinationOf(reading: Dealable, row: ShardOwner): number | undefined {
  if (isOnWay(reading, row)) return row.next;
  return isFree(reading, row) ? undefined : row.incarnation;
}

/** Returns the shards of a node that it has not assigned to anybody. */
const unassigned = (view: ClusterView, node: number): readonly number[] =>
  ownedBy(view, node)
    .filter(({ next }) => next === undefined)
    .map(({ shard }) => shard);

/** Returns the nodes that hand over, by rising incarnation: also the deciding one, whose row may not say so yet. */
const giversIn = ({ view, own }: ShareReading): readonly number[] =>
  view.nodes
    .filter((row) => row.incarnation === own || isHandingOver(row))
    .map(({ incarnation }) => incarnation)
    .sort((a, b) => a - b);

const isHandingOver = ({ dead, state }: NodeRow): boolean => !dead && state === "handing-over";

/** Returns the first standby that has shards to give away. */
const retireeIn = (retiring: readonly number[], shares: ReadonlyMap<number, number>): number | undefined =>
  retiring.find((node) => shareOf(shares, node) > 0);

/** Returns whether the node shares the shards with others. */
const isShared = ({ view, own }: ShareReading): boolean =>
  view.nodes.some(({ incarnation, shares }) => incarnation === own && shares === true);

/** Gives the first shards to these targets, one to each entry, and groups them by target. */
function movesTo(targets: readonly number[], shards: readonly number[]): readonly ShareMove[] {
  const moves = new Map<number, number[]>();
  targets.forEach((to, index) => {
    const shard = shards[index];
    if (shard !== undefined) moves.set(to, [...(moves.get(to) ?? []), shard]);
  });
  return [...moves].map(([to, moved]) => ({ to, shards: moved }));
}

/** Returns by how much the largest share is above the smallest one that can grow. */
function spreadOf({ deal: { shares }, able, takers }: Shared): number {
  const growable = takers.filter((node) => able.includes(node));
  const [most, least] = [largest(shares, able), smallest(shares, growable)];
  return most === undefined || least === undefined ? 0 : shareOf(shares, most) - shareOf(shares, least);
}

const shareOf = (shares: ReadonlyMap<number, number>, node: number): number => shares.get(node) ?? 0;

const add = (shares: Map<number, number>, node: number, count: number): void => {
  shares.set(node, shareOf(shares, node) + count);
};

/** Returns the first of the nodes that has the fewest shards. */
function smallest(shares: ReadonlyMap<number, number>, nodes: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const node of nodes)
    if (found === undefined || shareOf(shares, node) < shareOf(shares, found)) found = node;
  return found;
}

/** Returns the first of the nodes that has the most shards. */
function largest(shares: ReadonlyMap<number, number>, nodes: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const node of nodes)
    if (found === undefined || shareOf(shares, node) > shareOf(shares, found)) found = node;
  return found;
}

/** How many ttl the nodes must be the same before shards move for evenness: a restart shall not move shards twice. */
const SETTLED_TTLS = 2;

/** How many ttl a shard is free until this is reported. After one it was dealt to another node. */
const UNCLAIMED_TTLS = 2;

/** Settings of a {@link ShareWatch}. */
export type ShareWatchParts = Readonly<{
  ttlMs: number;
  /** Most shards that this node takes, with the market journal as one of them. Default all. */
  mostShards?: number;
  canRead: CanRead;
}>;

/** A free shard, to whom it is dealt, and since when both are known. */
type Lying = Readonly<{ row: ShardOwner; sinceMs: number; to: number | undefined; dealtMs: number }>;

/**
 * Remembers over the readings of a node what one view does not show: how long shards are free, which nodes leave those that
 * were dealt to them, and how long the nodes are the same.
 */
export class ShareWatch {
  readonly #parts: ShareWatchParts;
  #lying: ReadonlyMap<number, Lying> = new Map();
  /**
   * How many shards a node owned when it left one that was dealt to it for a whole ttl. It counts as full while it owns as many.
   */
  #full: ReadonlyMap<number, number> = new Map();
  #able: Readonly<{ nodes: string; sinceMs: number }> | undefined;
  #isEvening = false;
  #unclaimed: readonly number[] = [];

  constructor(parts: ShareWatchParts) {
    this.#parts = parts;
  }

  /** The shards that have been free for two ttl, as read last: nobody takes them. */
  get unclaimed(): readonly number[] {
    return this.#unclaimed;
  }

  /** Starts all times anew, because a read failed: nobody may have been able to claim. */
  reset(): void {
    this.#lying = new Map();
    this.#able = undefined;
  }

  /**
   * Takes what the node `own` has read, and returns what its decisions are made from. As with beats, something is known to
   * have been the same from the answer of the first read to the question of this one.
   */
  observe(view: ClusterView, own: number, times: ReadTimes): ShareReading {
    const { mostShards = Number.POSITIVE_INFINITY, canRead } = this.#parts;
    const live = new Set(view.nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation));
    const fit = fitIn(view, canRead);
    this.#noteFull(view, fit, times);
    const hasRoom = (node: number): boolean => {
      const owned = ownedBy(view, node).length;
      return node === own ? owned < mostShards : owned !== this.#full.get(node);
    };
    const dealable = { view, live, ...rolesIn(view, fit, hasRoom) };
    const deal = dealOf(dealable);
    const reading: ShareReading = { ...dealable, own, mostShards, deal, isEvening: false };
    this.#noteLying(reading, times);
    this.#noteEvening(reading, times);
    return { ...reading, isEvening: this.#isEvening };
  }

  /**
   * Notes the nodes that have left a shard that was dealt to them, and forgets those that own another number since, or that
   * could take none meanwhile.
   */
  #noteFull(view: ClusterView, fit: readonly NodeRow[], { requestedMs }: ReadTimes): void {
    const full = new Map<number, number>();
    for (const [node, count] of this.#full)
      if (fit.some(({ incarnation }) => incarnation === node) && ownedBy(view, node).length === count)
        full.set(node, count);
    for (const row of view.shards) {
      const lying = this.#lying.get(row.shard);
      if (lying?.to === undefined || !isSame(lying.row, row)) continue;
      if (requestedMs - lying.dealtMs >= this.#parts.ttlMs)
        full.set(lying.to, ownedBy(view, lying.to).length);
    }
    this.#full = full;
  }

  /** Notes the free shards, and to whom they are dealt now. */
  #noteLying(reading: ShareReading, { requestedMs, answeredMs }: ReadTimes): void {
    const { dealt } = reading.deal;
    const lying = new Map<number, Lying>();
    const unclaimed: number[] = [];
    for (const row of reading.view.shards) {
      if (!isFree(reading, row)) continue;
      const to = dealt.get(row.shard);
      const before = this.#lying.get(row.shard);
      const known = before !== undefined && isSame(before.row, row) ? before : undefined;
      const sinceMs = known?.sinceMs ?? answeredMs;
      const dealtMs = known !== undefined && known.to === to ? known.dealtMs : answeredMs;
      lying.set(row.shard, { row, sinceMs, to, dealtMs });
      if (requestedMs - sinceMs >= UNCLAIMED_TTLS * this.#parts.ttlMs) unclaimed.push(row.shard);
    }
    this.#lying = lying;
    this.#unclaimed = unclaimed;
  }

  /**
   * Notes whether shards are to move: from a large difference on until there is none, once the nodes have stayed the same, and
   * while nobody hands over.
   */
  #noteEvening(reading: ShareReading, { requestedMs, answeredMs }: ReadTimes): void {
    const nodes = reading.able.join();
    if (this.#able?.nodes !== nodes) this.#able = { nodes, sinceMs: answeredMs };
    const isSettled =
      requestedMs - this.#able.sinceMs >= SETTLED_TTLS * this.#parts.ttlMs && !isHandOverUnderWay(reading);
    this.#isEvening = isSettled && !isEven(reading) && (this.#isEvening || isUneven(reading));
  }
}

/** Returns whether a shard that was free is still so, and nobody has owned it meanwhile: who is dead stays dead. */
const isSame = (before: ShardOwner, row: ShardOwner): boolean =>
  before.epoch === row.epoch && before.incarnation === row.incarnation;
