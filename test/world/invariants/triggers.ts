import type { Price } from "../../../src/decimal/index.ts";
import { type Activation, shardOfId, type Trigger } from "../../../src/model/index.ts";
import type { Acknowledged } from "../clients/ledger.ts";
import {
  marksKey,
  type SeenChange,
  type SeenMark,
  type SeenOrder,
  type SeenRecord,
} from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";

type TriggerParts = Pick<WorldParts, "requireThat" | "situations" | "journal" | "ledger">;

/** Checks I30 and I31: triggers come from counted quotes that meet their level, references from durable marks. */
export class Triggers {
  readonly #parts: TriggerParts;

  constructor(parts: TriggerParts) {
    this.#parts = parts;
  }

  /** Checks a record. */
  check(seen: SeenRecord): void {
    const { situations } = this.#parts;
    const { record, changes } = seen;
    let fired = 0;
    for (const change of changes) {
      const { before, after } = change;
      this.#stored(change);
      if (before?.activation === undefined && after.activation !== undefined)
        this.#activated(seen, after, after.activation);
      if (before?.trigger !== undefined || after.trigger === undefined) continue;
      fired++;
      this.#quote(seen, after, after.trigger);
      if (after.trigger.observed === after.trigger.level) situations.observe("trigger exactly at its level");
      if (after.intent.trailing !== undefined) this.#reference(seen, after, after.trigger);
      else this.#level(seen, after, after.trigger);
    }
    const isPair = changes.some(({ facts }) =>
      facts.some((fact) => fact.kind === "ENDED" && fact.reason === "OCO_TRIGGER"),
    );
    if (isPair) situations.observe(fired > 0 ? "pair decided by a trigger" : "pair decided by a child");
    if (isPair && record.cause.kind === "QUOTE") this.#both(changes, record.cause.quote);
  }

  /** Checks the members that never change once they are set. */
  #stored({ before, after }: SeenChange): void {
    const { requireThat } = this.#parts;
    if (before === undefined) return;
    const { orderId } = after;
    requireThat(
      before.trigger === undefined || before.trigger === after.trigger,
      "I31",
      () => `order ${orderId} triggers twice`,
    );
    requireThat(
      before.activation === undefined || before.activation === after.activation,
      "I31",
      () => `order ${orderId} is activated twice`,
    );
    const isHeld = before.held && (before.activation ?? after.activation ?? after.trigger) !== undefined;
    requireThat(!isHeld || !after.held, "I31", () => `held order ${orderId} looks at the market`);
  }

  /** Checks that the start of an activation is durable, as the mark it rests on or a later one. */
  #activated({ record, instance }: SeenRecord, order: SeenOrder, { position, seed }: Activation): void {
    const { requireThat, situations } = this.#parts;
    const marks = this.#marksOf(order);
    const first = marks.find((mark) => mark.position >= position);
    const isRetained = marks.some(
      (mark) =>
        mark.position >= position && (order.intent.side === "BUY" ? mark.price <= seed : mark.price >= seed),
    );
    requireThat(
      isRetained,
      "I31",
      () => `order ${order.orderId} is active from ${seed}, but no mark of that price is stored`,
    );
    const { cause } = record;
    const isOld = first?.generation !== instance.generation || cause.kind !== "QUOTE";
    if (first?.position === position && (isOld || instance.markets.numberOf(first) < cause.quote.sequence))
      situations.observe("activated where the newest mark stands");
  }

  #marksOf({ orderId, intent: { symbol, side } }: SeenOrder): readonly SeenMark[] {
    const market = { symbol, side: side === "BUY" ? ("ask" as const) : ("bid" as const) };
    return this.#parts.journal.marks.get(marksKey({ shard: shardOfId(orderId), ...market })) ?? [];
  }

  #quote({ record, instance }: SeenRecord, { orderId, intent }: SeenOrder, trigger: Trigger): void {
    const { requireThat } = this.#parts;
    const { cause } = record;
    requireThat(cause.kind === "QUOTE", "I30", () => `order ${orderId} triggers on ${cause.kind}`);
    if (cause.kind !== "QUOTE") return;
    const { quote } = cause;
    const observed = intent.side === "BUY" ? quote.ask : quote.bid;
    const isGood = quote.bid > 0 && quote.bid <= quote.ask && trigger.observed === observed;
    requireThat(
      isGood,
      "I30",
      () => `order ${orderId} triggers at ${trigger.observed} of ${quote.bid}/${quote.ask}`,
    );
    requireThat(
      instance.markets.has(quote),
      "I30",
      () => `order ${orderId} triggers on a quote that was never published`,
    );
  }

  /**
   * Checks that a quote met the level of an order. The level before an amend counts in the process that wrote the amend, until
   * a client has its answer.
   */
  #level(record: SeenRecord, { orderId, intent, amends }: SeenOrder, trigger: Trigger): void {
    const { requireThat, situations } = this.#parts;
    if (intent.stopPrice === undefined) return;
    const { observed } = trigger;
    const last = amends.findLast(({ before }) => before.stopPrice !== undefined);
    const isFormer = trigger.level !== intent.stopPrice && trigger.level === last?.before.stopPrice;
    if (isFormer) situations.observe("trigger at the level before an amend");
    requireThat(
      !isFormer ||
        (last?.generation === record.instance.generation &&
          !this.#isAcknowledged(record, orderId, amends.length)),
      "I30",
      () => `order ${orderId} triggers at ${trigger.level}, its level is ${intent.stopPrice} by an amend`,
    );
    const stopPrice = isFormer ? trigger.level : intent.stopPrice;
    const profits = intent.type.startsWith("TAKE_PROFIT");
    const rising = (intent.side === "BUY") !== profits;
    const meets = rising ? observed >= stopPrice : observed <= stopPrice;
    requireThat(meets, "I30", () => `order ${orderId} triggers at ${observed}, its level is ${stopPrice}`);
    const [seen, level] = [BigInt(observed) * 100n, BigInt(stopPrice)];
    if (seen > level * 103n || seen < level * 97n) situations.observe("price gap across a stop");
  }

  #isAcknowledged({ record: { cause }, instance }: SeenRecord, orderId: number, count: number): boolean {
    const { amends, generation, quote } = this.#parts.ledger.amended.get(orderId) ?? NONE;
    if (cause.kind !== "QUOTE" || amends < count || generation !== instance.generation) return false;
    return cause.quote.sequence > quote;
  }

  /**
   * Checks a reference. It is at least the extreme of the marks since the activation that its process found at its
   * opening or made on a quote before the triggering one. It is at most the extreme of all marks that are durable now,
   * because the trigger may have waited for its shard while the reference of others moved on. Times cannot order the
   * marks, since the wall clock may be set.
   */
  #reference({ record, instance }: SeenRecord, order: SeenOrder, trigger: Trigger): void {
    const { requireThat } = this.#parts;
    const { orderId, intent, activation } = order;
    const { cause } = record;
    requireThat(activation !== undefined, "I31", () => `order ${orderId} triggers before it is active`);
    if (activation === undefined || cause.kind !== "QUOTE") return;
    const side = intent.side === "BUY" ? "ask" : "bid";
    const since = this.#marksOf(order).filter(({ position }) => position >= activation.position);
    const better = (a: Price, b: Price): Price => (side === "ask" ? (a < b ? a : b) : a > b ? a : b);
    const known = (until: (mark: SeenMark) => boolean): Price =>
      since.filter(until).reduce((extreme, mark) => better(extreme, mark.price), activation.seed);
    const before = known(
      (mark) =>
        mark.generation !== instance.generation || instance.markets.numberOf(mark) < cause.quote.sequence,
    );
    const now = known(() => true);
    const { reference } = trigger;
    const isRetained = reference !== undefined && better(reference, now) === now;
    const isExtreme = reference !== undefined && better(reference, before) === reference;
    requireThat(
      isRetained && isExtreme,
      "I31",
      () => `order ${orderId}: reference ${reference}, durable marks say ${before}, then ${now}`,
    );
  }

  /** Notes whether the same quote also met the losing leg. */
  #both(changes: readonly SeenChange[], quote: Readonly<{ bid: Price; ask: Price }>): void {
    const { situations } = this.#parts;
    for (const { after } of changes) {
      const { intent } = after;
      const level = intent.stopPrice ?? intent.price;
      if (after.ended?.reason !== "OCO_TRIGGER" || level === undefined || intent.trailing !== undefined)
        continue;
      const observed = intent.side === "BUY" ? quote.ask : quote.bid;
      const isStop = intent.type.startsWith("STOP");
      const rising = (intent.side === "BUY") === isStop;
      if (rising ? observed >= level : observed <= level)
        situations.observe("both legs of a pair met by one quote");
    }
  }
}

const NONE: Acknowledged = { amends: 0, generation: 0, quote: 0 };
