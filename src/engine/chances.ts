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
import type { Activated, Fired } from "../triggers/index.ts";
import type { Arming } from "./arming.ts";
import type { QuoteNow, Slot } from "./core.ts";
import type { ExposureDesk } from "./exposure-desk.ts";
import type { Followers } from "./followers.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Shard } from "./shard.ts";

/** What chances are made of. */
type ChanceParts = Readonly<{
  market: MarketHub;
  followers: Followers;
  exposure: ExposureDesk;
  arming: Arming;
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

  /** Watchers left the book: their parents meet the quote, the protective leg of a pair first. */
  fired(fired: readonly Fired[], quote: Quote): void {
    const orderOf = (orderId: number): ParentOrder | undefined =>
      this.#shardOf(orderId).slots.get(orderId)?.working;
    for (const one of protectiveFirst(fired, orderOf)) {
      const shard = this.#shardOf(one.orderId);
      shard.post(() => {
        const slot = shard.slots.get(one.orderId);
        if (slot === undefined) return;
        // The activation that it comes of was lost with an append: the order begins to look again.
        if (slot.working.intent.trailing !== undefined && slot.working.activation === undefined)
          return this.#parts.arming.arm(slot);
        this.#offer(slot, { kind: "FIRED", fired: one, quote });
      });
    }
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
    const { followers } = this.#parts;
    for (const slot of followers.of(print.symbol)) {
      const { orderId } = slot.working;
      const shard = this.#shardOf(orderId);
      // A parent that is read again follows the trades from then on.
      if (shard.state !== "running") continue;
      shard.post(() => {
        if (shard.slots.get(orderId) !== slot || followers.volumeFor(slot) === undefined) return;
        this.#offer(slot, { kind: "PRINTED", print });
      });
    }
  }

  /** The exposure that a parent asked for is known. */
  measured(slot: Slot, exposure: Quantity): void {
    this.#offer(slot, { kind: "MEASURED", exposure });
  }

  #offer(slot: Slot, occasion: Occasion): void {
    const { working } = slot;
    if (this.#host.isFrozen(working)) return;
    const { market, followers, arming } = this.#parts;
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

function causeOf(occasion: Occasion, now: Quote): Cause {
  if (occasion.kind === "PRINTED") return { kind: "PRINT", print: occasion.print };
  return { kind: "QUOTE", quote: stampOf(occasion.kind === "FIRED" ? occasion.quote : now) };
}

const isIntent = ({ kind }: Fact): boolean => kind === "CHILD_INTENDED";
