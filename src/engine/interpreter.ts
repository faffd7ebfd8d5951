import type { Fact } from "../model/index.ts";
import type { ReadonlyIdMap } from "../triggers/index.ts";
import type { EffectRunner, EngineEffect } from "./core/effects.ts";
import type { DurableRecord, LiveOrder, ParentStep } from "./core/live-order.ts";
import type { EngineParts } from "./parts.ts";
import type { Shard } from "./shards/shard.ts";

/** Runs the effects of an engine. It is the only place that decides which part acts next. */
export class EffectInterpreter implements EffectRunner {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  run(effect: EngineEffect): void {
    const { shards, committer, arming, exposure, attempts, board } = this.#parts;
    switch (effect.kind) {
      case "RECORD_DECIDED":
        return committer.wake(shards.at(effect.shard), effect.isRequested);
      case "RECORD_DURABLE":
        return this.#durable(effect.record, effect.liveOrders);
      case "RECORD_FOUND":
        return this.#found(effect.record);
      case "SHARD_RELOADED":
        return this.#reloaded(shards.at(effect.shard), effect.before);
      case "EXPOSURE_WANTED":
        return exposure.measure(effect.order);
      case "EXPOSURE_MEASURED":
        return attempts.measured(effect.live, effect.exposure);
      case "REARM":
        return void arming.arm(effect.live);
      case "ADMITTED":
        return arming.admit([effect.live]);
      case "FIRED":
        return attempts.fired(effect.fired, effect.quote);
      case "ACTIVATED":
        return attempts.activated(effect.activated, effect.quote);
      case "PRINTED":
        return attempts.printed(effect.print);
      case "VOLUME_MOVES":
        return attempts.volumeMoves();
      case "MARKET_MOVED":
        return committer.wake();
      case "QUOTES_STOPPED":
      case "QUOTES_RESUMED":
        return board.quotesChanged(effect.kind, effect.detail);
      case "ORDERS_CHANGED":
        return board.ordersChanged();
      case "PRINT_DROPPED":
        return board.volumeDropped();
    }
  }

  /** Follows up a durable record: book and timers, the venue, the event stream. */
  #durable(record: DurableRecord, liveOrders: readonly LiveOrder[]): void {
    const { funds, participants, market, exposure, arming, attempts, stalls, quotes, stream } = this.#parts;
    market.follow(record.steps);
    for (const step of record.steps) funds.observe(step);
    for (const [index, live] of liveOrders.entries()) {
      participants.track(live);
      exposure.track(live);
      stalls.follow(live, record.steps[index]?.facts ?? []);
    }
    const isOfKind = record.list?.kind !== undefined;
    if (record.record.cause.kind === "AMEND" || isOfKind)
      for (const [index, live] of liveOrders.entries())
        if (record.steps[index]?.facts.some(isAmend)) arming.amended(live);
    for (const step of record.steps) this.#follow(step, record.decidedAtMs);
    stream.publish(record);
    arming.admit(liveOrders);
    if (isOfKind) arming.shared(liveOrders);
    attempts.decided(participants.takeDecided());
    quotes.begin();
  }

  #follow(step: ParentStep, decidedAtMs: number): void {
    const { children, dispatcher, exposure, committer, board } = this.#parts;
    children.followUp(step);
    for (const effect of step.effects) {
      if (effect.kind === "SUBMIT") {
        board.childDurable(decidedAtMs);
        dispatcher.submit(step.order, committer.requestedAt);
      } else exposure.measure(step.order);
    }
  }

  #found(record: DurableRecord): void {
    this.#parts.market.follow(record.steps);
    this.#parts.children.found(record.steps);
    this.#parts.stream.publish(record);
  }

  #reloaded(shard: Shard, before: ReadonlyIdMap<LiveOrder>): void {
    this.#parts.rearming.reloaded(shard, before);
    if (shard.state === "fenced") this.#parts.board.fenced(shard.number);
  }
}

const isAmend = ({ kind }: Fact): boolean => kind === "AMENDED";
