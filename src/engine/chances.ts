import type { Quantity } from "../decimal/index.ts";
import { type Chance, type ParentEvent, protectiveFirst, shardOfId } from "../lifecycle/index.ts";
import {
  type Cause,
  type CountedPrint,
  type Fact,
  type ParentOrder,
  type Quote,
  stampOf,
} from "../model/index.ts";
import { type Activated, type Fired, IdMap } from "../triggers/index.ts";
import type { Arming } from "./arming.ts";
import type { Bursts } from "./bursts.ts";
import type { QuoteNow, Slot } from "./core.ts";
import type { ExposureDesk } from "./exposure-desk.ts";
import type { Followers } from "./followers.ts";
import type { FundsQueue } from "./funds-queue.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Shard } from "./shard.ts";

/** What chances are made of. */
export type ChanceParts = Readonly<{
  market: MarketHub;
  followers: Followers;
  exposure: ExposureDesk;
  arming: Arming;
  bursts: Bursts;
  funds: FundsQueue;
}>;

/** What chances need from the engine. */
export type ChanceHost = Readonly<{
  shard: (number: number) => Shard;
  isFrozen: (order: ParentOrder) => boolean;
}>;

/** Why a parent gets the chance to act. */
type Occasion =
  | Readonly<{ kind: "FIRED"; fired: Fired; quote: Quote }>
  | Readonly<{ kind: "PRINTED"; print: CountedPrint }>
  | Readonly<{ kind: "MEASURED"; exposure: Quantity }>;

/** More fires of one quote than this are a burst. */
const MANY = 64;

/**
 * Brings the market to parents: a condition that was met, a trade to follow, an exposure that is known. Each gets what a
 * child is sent on, as it is now, and looks at quotes again if nothing came of it.
 */
export class Chances {
  readonly #parts: ChanceParts;
  readonly #host: ChanceHost;

  constructor(parts: ChanceParts, host: ChanceHost) {
    this.#parts = parts;
    this.#host = host;
  }

  /**
   * Watchers left the book: their parents meet the quote, the protective leg of a pair first. Of more than a turn has
   * time for, those that reduce a position go first.
   */
  fired(fired: readonly Fired[], quote: Quote): void {
    this.#parts.bursts.add("chances", quote.symbol, this.#meetAll(fired, quote));
  }

  *#meetAll(fired: readonly Fired[], quote: Quote): Generator<number, void> {
    const orderOf = (orderId: number): ParentOrder | undefined =>
      this.#shardOf(orderId).slots.get(orderId)?.working;
    const isBurst = fired.length > MANY;
    const ordered = protectiveFirst(fired, orderOf, isBurst ? yield* byId(fired) : undefined);
    for (const one of isBurst ? yield* reducingFirst(ordered, orderOf) : ordered) {
      this.#meet(one, quote);
      yield 1;
    }
  }

  #meet(fired: Fired, quote: Quote): void {
    const shard = this.#shardOf(fired.orderId);
    shard.post(() => {
      const slot = shard.slots.get(fired.orderId);
      if (slot === undefined) return;
      // The activation that it comes of was lost with an append: the order begins to look again.
      if (slot.working.intent.trailing !== undefined && slot.working.activation === undefined)
        return this.#parts.arming.arm(slot);
      this.#offer(slot, { kind: "FIRED", fired, quote });
    });
  }

  /** The tracking of a trailing parent began. */
  activated({ orderId, activation }: Activated, quote: Quote): void {
    const shard = this.#shardOf(orderId);
    const cause = { kind: "QUOTE" as const, quote: stampOf(quote) };
    shard.post(() => void shard.change(orderId, { kind: "ACTIVATED", activation }, cause));
  }

  /** A trade was counted: those that take part in the volume of its market may follow it. */
  printed(print: CountedPrint): void {
    if (!print.fresh) return;
    const { followers, bursts } = this.#parts;
    const slots = followers.of(print.symbol);
    if (slots.length > 0) bursts.add("chances", print.symbol, this.#followAll(slots, print));
  }

  *#followAll(slots: readonly Slot[], print: CountedPrint): Generator<number, void> {
    for (const slot of slots) {
      this.#follow(slot, print);
      yield 1;
    }
  }

  #follow(slot: Slot, print: CountedPrint): void {
    const { followers } = this.#parts;
    const { orderId } = slot.working;
    const shard = this.#shardOf(orderId);
    // A parent that is read again follows the trades from then on.
    if (shard.state !== "running") return;
    shard.post(() => {
      if (shard.slots.get(orderId) !== slot || followers.volumeFor(slot) === undefined) return;
      this.#offer(slot, { kind: "PRINTED", print });
    });
  }

  /** The exposure that a parent asked for is known. */
  measured(slot: Slot, exposure: Quantity): void {
    this.#offer(slot, { kind: "MEASURED", exposure });
  }

  #offer(slot: Slot, occasion: Occasion): void {
    const { working } = slot;
    if (this.#host.isFrozen(working)) return;
    const { market, followers, arming, funds } = this.#parts;
    if (funds.waits(working)) return arming.arm(slot);
    // What waited behind a reload meets the market of now; what fired stays as it was seen.
    const seen = occasion.kind === "FIRED" ? { quote: occasion.quote, fresh: false } : undefined;
    const now = market.now(working.intent.symbol) ?? seen;
    if (now === undefined) return arming.arm(slot);
    const chance = this.#chance(slot, occasion, now);
    const event: ParentEvent =
      occasion.kind === "FIRED"
        ? { kind: "FIRED", fired: occasion.fired, ...chance }
        : { kind: occasion.kind, ...chance };
    const { orderId } = working;
    const pending = this.#shardOf(orderId).change(orderId, event, causeOf(occasion, now.quote));
    if (pending === undefined) return arming.arm(slot);
    const intended = pending.steps.some(({ facts }) => facts.some(isIntent));
    if (chance.volume !== undefined && intended) followers.followed(slot);
  }

  #chance(slot: Slot, occasion: Occasion, now: QuoteNow): Chance {
    const volume = this.#parts.followers.volumeFor(slot);
    const exposure = occasion.kind === "MEASURED" ? occasion.exposure : this.#exposureOf(slot.working);
    return {
      ...now,
      ...(exposure === undefined ? {} : { exposure }),
      ...(volume === undefined ? {} : { volume }),
    };
  }

  #exposureOf(order: ParentOrder): Quantity | undefined {
    return order.intent.reduceOnly ? this.#parts.exposure.immediate(order) : undefined;
  }

  #shardOf(orderId: number): Shard {
    return this.#host.shard(shardOfId(orderId));
  }
}

/** What fired, by order. */
function* byId(fired: readonly Fired[]): Generator<number, IdMap<Fired>> {
  const waiting = new IdMap<Fired>();
  for (const [index, one] of fired.entries()) {
    waiting.set(one.orderId, one);
    if (index % MANY === 0) yield 1;
  }
  return waiting;
}

/** What reduces a position, or belongs to a list that does, then the rest; each in the order in which it comes. */
function* reducingFirst(
  fired: Iterable<Fired>,
  orderOf: (orderId: number) => ParentOrder | undefined,
): Generator<number, Iterable<Fired>> {
  const reduces = (orderId: number): boolean => {
    const order = orderOf(orderId);
    const legs = order?.list?.legs.map((leg) => orderOf(leg)) ?? [order];
    return legs.some((leg) => leg?.intent.reduceOnly === true);
  };
  const parts: Readonly<{ reducing: Fired[]; opening: Fired[] }> = { reducing: [], opening: [] };
  let seen = 0;
  for (const one of fired) {
    (reduces(one.orderId) ? parts.reducing : parts.opening).push(one);
    if (++seen % MANY === 0) yield 1;
  }
  return inARow(parts.reducing, parts.opening);
}

function* inARow(...parts: readonly (readonly Fired[])[]): Iterable<Fired> {
  for (const part of parts) yield* part;
}

function causeOf(occasion: Occasion, now: Quote): Cause {
  if (occasion.kind === "PRINTED") return { kind: "PRINT", print: occasion.print };
  return { kind: "QUOTE", quote: stampOf(occasion.kind === "FIRED" ? occasion.quote : now) };
}

const isIntent = ({ kind }: Fact): boolean => kind === "CHILD_INTENDED";
