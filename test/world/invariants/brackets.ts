import type { Fact } from "../../../src/model/index.ts";
import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf, stepsOf, UNREPORTED } from "../venue-row.ts";
import { isShared } from "./shared-quantity.ts";

const RULE = "A bracket by fills";
type Legs = Readonly<{ entry: SeenOrder; stop: SeenOrder; profits: readonly SeenOrder[] }>;
type Amended = Extract<Fact, { kind: "AMENDED" }>;

/** Checks the rules of brackets by fills and of OCAs that reduce, after each record that changes one, by the journal alone. */
export class Brackets {
  readonly #parts: WorldParts;

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  /** Checks a list of a kind of its own after a record. */
  check(legs: readonly SeenOrder[], seen: SeenRecord): void {
    for (const { after, facts } of seen.changes) {
      const isOne = legs.some(({ orderId }) => orderId === after.orderId);
      if (isOne && isShared(after) && facts.some(({ kind }) => kind === "CHILD_INTENDED"))
        this.#intended(after, legs);
    }
    const [entry, stop] = [legs.find(has("working")), legs.find(has("protective"))];
    if (entry !== undefined && stop !== undefined)
      return this.#bracket({ entry, stop, profits: legs.filter(has("profit")) }, seen);
    if (legs[0]?.list?.mode === "REDUCE") this.#whole(legs);
  }

  /** Checks that the children of orders that share never exceed the rest, and a take-profit never its share. */
  #intended(order: SeenOrder, legs: readonly SeenOrder[]): void {
    const { requireThat } = this.#parts;
    const entry = legs.find(has("working"));
    const whole = entry?.executed ?? exactOf(order.intent);
    const committed = legs
      .filter(isShared)
      .reduce((sum, leg) => sum + leg.executed + this.#unresolved(leg), 0n);
    requireThat(
      committed <= whole,
      RULE,
      () => `order ${order.orderId}: its list commits ${committed} of ${whole}`,
    );
    if (entry === undefined || order.list?.role !== "profit") return;
    let left = entry.executed;
    for (const profit of legs.filter(has("profit"))) {
      if (profit.orderId === order.orderId) break;
      left -= exactOf(profit.intent);
    }
    const own = order.executed + this.#unresolved(order);
    requireThat(
      own <= left,
      RULE,
      () => `take-profit ${order.orderId} commits ${own}, those before it leave ${left}`,
    );
  }

  /** Returns what the child of an order may still execute, as far as the journal knows. */
  #unresolved({ orderId, child }: SeenOrder): bigint {
    if (child === undefined) return 0n;
    const fills = [...(this.#parts.journal.fills.get(orderId)?.values() ?? [])];
    const own = fills.filter(({ childId }) => childId === child.childId);
    const left = own.reduce((rest, { fill }) => rest - exactOf(fill), exactOf(child));
    return left > 0n ? left : 0n;
  }

  /** Checks that the orders of an OCA whose quantity is executed end in that record. */
  #whole(legs: readonly SeenOrder[]): void {
    const { requireThat, situations } = this.#parts;
    const executed = legs.reduce((sum, leg) => sum + leg.executed, 0n);
    const parts = legs.filter((leg) => leg.executed > 0n).length;
    if (parts > 1) situations.observe("quantity shared by several orders of an OCA");
    const [one] = legs;
    if (one === undefined || executed < exactOf(one.intent)) return;
    const open = legs.filter((leg) => !isOver(leg));
    requireThat(open.length === 0, RULE, () => `legs ${open.map(({ orderId }) => orderId)} go on`);
  }

  #bracket(legs: Legs, seen: SeenRecord): void {
    const { entry, stop, profits } = legs;
    const changeOf = ({ orderId }: SeenOrder): SeenChange | undefined =>
      seen.changes.find(({ after }) => after.orderId === orderId);
    const [ofEntry, ofStop] = [changeOf(entry), changeOf(stop)];
    const executedBefore = ofEntry === undefined ? entry.executed : (ofEntry.before?.executed ?? 0n);
    this.#released(legs, seen);
    if (ofStop?.before !== undefined && ofStop.before.trigger === undefined && stop.trigger !== undefined)
      this.#won(legs, seen);
    const position =
      BigInt(stepsOf(entry.executed)) - [stop, ...profits].reduce((sum, leg) => sum + upOf(leg), 0n);
    if (ofStop?.before !== undefined && ofStop.before.ended === undefined && stop.ended !== undefined)
      this.#stopEnded(legs, position);
    const grew = stepsOf(entry.executed) > stepsOf(executedBefore);
    this.#alerted(legs, seen, { position, grew });
    if (seen.record.cause.kind === "AMEND") return;
    for (const { before, after, facts } of seen.changes)
      for (const fact of facts)
        if (fact.kind === "AMENDED" && after.list?.listId === stop.list?.listId)
          this.#moved(legs, { before, after, fact });
  }

  /** Checks that the executions of the entry that are an exit's part release it, in their record, and nothing else does. */
  #released({ entry, stop, profits }: Legs, { changes }: SeenRecord): void {
    const { requireThat } = this.#parts;
    let before = 0n;
    for (const { orderId, ended, held, intent } of [stop, ...profits]) {
      const { facts = [] } = changes.find(({ after }) => after.orderId === orderId) ?? {};
      const isReleased = facts.some(({ kind }) => kind === "RELEASED");
      const isDue = BigInt(stepsOf(entry.executed)) > before;
      if (orderId !== stop.orderId) before += BigInt(intent.quantity);
      requireThat(
        !isReleased || isDue,
        RULE,
        () => `exit ${orderId} is released, executed are ${entry.executed}`,
      );
      const waits = orderId !== stop.orderId && intent.trailing !== undefined && entry.ended === undefined;
      const isLeft = held && ended === undefined && isDue && !waits;
      requireThat(!isLeft, RULE, () => `exit ${orderId} is held, its entry has executed ${entry.executed}`);
    }
  }

  /** Checks that a stop ends the entry and the take-profits in the record of its trigger, before itself. */
  #won({ entry, stop, profits }: Legs, { changes }: SeenRecord): void {
    const { requireThat, situations } = this.#parts;
    const placeOf = (leg: SeenOrder): number =>
      changes.findIndex(({ after }) => after.orderId === leg.orderId);
    for (const leg of [entry, ...profits])
      requireThat(
        isOver(leg) && placeOf(leg) < placeOf(stop),
        RULE,
        () => `leg ${leg.orderId} goes on beside the stop ${stop.orderId}`,
      );
    if (entry.child !== undefined) situations.observe("bracket stopped with an entry child in flight");
    if (profits.some(({ child }) => child !== undefined))
      situations.observe("bracket stopped with an exit child in flight");
    if (profits.some(({ executed, intent }) => executed > 0n && executed < exactOf(intent)))
      situations.observe("bracket stopped after a part of a take-profit");
  }

  /** Checks that the list ends its stop only when nothing is left that it protects. */
  #stopEnded({ entry, stop, profits }: Legs, position: bigint): void {
    const reason = stop.ended?.reason;
    if (reason !== "OCO_TRIGGER" && reason !== "WORKING_LEG_ENDED") return;
    const isDone =
      position <= 0n && entry.ended !== undefined && profits.every(({ child }) => child === undefined);
    this.#parts.requireThat(
      isDone,
      RULE,
      () => `stop ${stop.orderId} ends (${reason}) with ${position} steps open`,
    );
  }

  /** Checks that an open position without its stop is reported, when the stop ends and whenever the position grows after that. */
  #alerted(
    { entry, stop, profits }: Legs,
    { changes }: SeenRecord,
    { position, grew }: Readonly<{ position: bigint; grew: boolean }>,
  ): void {
    const { requireThat, situations } = this.#parts;
    const ids = [entry, stop, ...profits].map(({ orderId }) => orderId);
    const isReported = changes.some(
      ({ after, facts }) =>
        ids.includes(after.orderId) &&
        facts.some((fact) => fact.kind === "ALERT" && fact.alert === "POSITION_UNPROTECTED"),
    );
    const endedNow = changes.some(
      ({ before, after }) =>
        after.orderId === stop.orderId && before?.ended === undefined && after.ended !== undefined,
    );
    const isResidual = stop.ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";
    const isDue = stop.ended !== undefined && position > 0n && (grew || (endedNow && !isResidual));
    if (isReported) situations.observe("position of a bracket left unprotected");
    requireThat(
      isReported === isDue,
      RULE,
      () => `list of entry ${entry.orderId}: alert ${isReported}, ${position} steps open, due ${isDue}`,
    );
  }

  /** Checks a move of the stop: after its take-profits, to the level that it names, and only to a better one. */
  #moved(
    { entry, stop, profits }: Legs,
    { before, after, fact }: Readonly<{ before: SeenOrder | undefined; after: SeenOrder; fact: Amended }>,
  ): void {
    const { requireThat, situations } = this.#parts;
    const { stopMove } = stop.list ?? {};
    const level = fact.after.stopPrice;
    const [old, isLong] = [before?.intent.stopPrice, stop.intent.side === "SELL"];
    const what = (): string => `stop ${stop.orderId} moves from ${old} to ${level}`;
    const isOwn = after.orderId === stop.orderId && stopMove !== undefined;
    requireThat(isOwn && level !== undefined && old !== undefined, RULE, what);
    if (stopMove === undefined || level === undefined || old === undefined) return;
    situations.observe("stop of a bracket moved");
    requireThat(isLong ? level > old : level < old, RULE, () => `${what()}, which is not better`);
    requireThat(before?.trigger === undefined && before?.child === undefined, RULE, what);
    const taken = profits.slice(0, stopMove.after).map(({ executed }) => executed);
    requireThat(
      taken.every((executed) => executed > 0n),
      RULE,
      () => `${what()}, its take-profits executed ${taken}`,
    );
    const offset = BigInt(stopMove.offset ?? 0);
    const from = BigInt(level) - (isLong ? offset : -offset);
    if (stopMove.to !== "ENTRY") return requireThat(from === BigInt(stopMove.to), RULE, what);
    const fills = [...(this.#parts.journal.fills.get(entry.orderId)?.values() ?? [])];
    const value = fills.reduce((sum, { fill }) => sum + exactOf(fill) * BigInt(fill.price), 0n);
    const beyond = (from * entry.executed - value) * (isLong ? 1n : -1n);
    requireThat(
      beyond >= 0n && beyond < entry.executed,
      RULE,
      () => `${what()}, its entry executed ${entry.executed} for ${value}`,
    );
  }
}

const has =
  (role: NonNullable<SeenOrder["list"]>["role"]): ((leg: SeenOrder) => boolean) =>
  ({ list }) =>
    list?.role === role;

const isOver = ({ ended, pendingEnd }: SeenOrder): boolean => ended !== undefined || pendingEnd !== undefined;

/** Returns what an order has executed in whole steps, rounded up. */
const upOf = ({ executed }: SeenOrder): bigint => BigInt(stepsOf(executed + UNREPORTED / 2n - 1n));
