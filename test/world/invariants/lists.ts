import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf } from "../venue-row.ts";
import { Brackets } from "./brackets.ts";
import { isOneOf } from "./shared-quantity.ts";

/** Checks I40-I43 and the rule "Release": the rules of lists, after each record that changes one. */
export class Lists {
  readonly #parts: WorldParts;
  readonly #brackets: Brackets;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#brackets = new Brackets(parts);
  }

  /** Checks a record. */
  check(seen: SeenRecord): void {
    const touched = new Set<number>();
    for (const { after } of seen.changes) if (after.list !== undefined) touched.add(after.list.listId);
    for (const listId of touched) this.#list(listId, seen);
  }

  #list(listId: number, seen: SeenRecord): void {
    const { requireThat, journal } = this.#parts;
    const ids = journal.lists.get(listId)?.legs ?? [];
    const legs = ids.flatMap((id) => journal.find(id) ?? []);
    requireThat(
      legs.length === ids.length,
      "Order of legs in a list",
      () => `list ${listId} is not accepted whole`,
    );
    const working = legs.find(({ list }) => list?.role === "working");
    this.#pair(legs.filter(isOneOf), seen);
    const isOfKind = legs.some(({ list }) => list?.kind !== undefined);
    if (isOfKind) this.#brackets.check(legs, seen);
    else if (working !== undefined) this.#held(working, legs, seen);
    if (seen.record.cause.kind === "CANCEL") {
      if (isOfKind && working !== undefined && this.#isAlone(working, legs, seen)) return;
      const goesOn = legs.filter(
        ({ ended, pendingEnd }) => ended === undefined && pendingEnd?.status !== "CANCELED",
      );
      requireThat(goesOn.length === 0, "I43", () => `legs ${goesOn.map(({ orderId }) => orderId)} go on`);
    }
  }

  /** Returns whether a record cancels the entry of a bracket by fills alone: its exits stay, or end with it. */
  #isAlone(working: SeenOrder, legs: readonly SeenOrder[], { changes }: SeenRecord): boolean {
    const isOf = ({ after }: SeenChange): boolean => legs.some(({ orderId }) => orderId === after.orderId);
    const isCanceled = ({ after: { ended, pendingEnd } }: SeenChange): boolean =>
      (ended ?? pendingEnd)?.reason === "USER_CANCELED";
    const canceled = changes.filter((change) => isOf(change) && isCanceled(change));
    const isAlone = canceled.length === 1 && canceled[0]?.after.orderId === working.orderId;
    if (isAlone) this.#parts.situations.observe("entry of a bracket canceled alone");
    return isAlone;
  }

  /**
   * Checks that at most one leg of a pair, or of an OCA that cancels, continues. The others have ended before it, or earlier in
   * the same record.
   */
  #pair(pair: readonly SeenOrder[], seen: SeenRecord): void {
    const { requireThat, situations } = this.#parts;
    const [winner, second] = pair.filter(hasWon);
    requireThat(
      second === undefined,
      "I40",
      () => `legs ${winner?.orderId} and ${second?.orderId} have both won`,
    );
    const expired = pair.find((leg) => leg.ended?.reason === "EXPIRED_GTD");
    if (winner === undefined && expired !== undefined) situations.observe("leg of a pair expires alone");
    if (winner === undefined) return;
    for (const loser of pair) if (loser !== winner) this.#lost(winner, loser, seen);
  }

  #lost(winner: SeenOrder, loser: SeenOrder, { record, changes }: SeenRecord): void {
    const { requireThat } = this.#parts;
    requireThat(
      loser.ended !== undefined,
      "I40",
      () => `leg ${loser.orderId} goes on beside ${winner.orderId}`,
    );
    const placeOf = (leg: SeenOrder): number =>
      changes.findIndex(({ after }) => after.orderId === leg.orderId);
    const change = changes[placeOf(winner)];
    const wonNow = change !== undefined && (change.before === undefined || !hasWon(change.before));
    const lostNow =
      loser.ended?.reason === "OCO_TRIGGER" && loser.lastSequence === record.sequence && placeOf(loser) >= 0;
    const lostEarlier = changes[placeOf(loser)]?.before?.ended !== undefined;
    if (lostNow && !lostEarlier)
      requireThat(
        wonNow && placeOf(loser) < placeOf(winner),
        "I40",
        () => `leg ${loser.orderId} loses without its winner`,
      );
  }

  /** Checks held legs. The record of the full fill releases them; a working leg that ends otherwise ends them. */
  #held(working: SeenOrder, legs: readonly SeenOrder[], { record, changes }: SeenRecord): void {
    const { requireThat, situations } = this.#parts;
    const isWhole = working.executed >= exactOf(working.intent);
    const isCounted =
      this.#parts.plan.settings.residualCountsAsFilled &&
      working.ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";
    const ofWorking = changes.find(({ after }) => after.orderId === working.orderId);
    const fills = ofWorking?.facts.filter(({ kind }) => kind === "FILLED").length ?? 0;
    for (const { before, after, facts } of changes) {
      if (!legs.some(({ orderId }) => orderId === after.orderId)) continue;
      if (after.ended?.reason === "USER_CANCELED") this.#canceled(before);
      this.#bound(working, { after, facts });
      if (!facts.some(({ kind }) => kind === "RELEASED")) continue;
      if (isCounted) situations.observe("exits released by an entry with a residual");
      const isDue = ((isWhole && fills > 0) || isCounted) && before?.held === true;
      requireThat(isDue, "I41", () => `leg ${after.orderId} is released in record ${record.sequence}`);
      if (working.fills > 1) situations.observe("release by the last of several fills");
    }
    const held = legs.filter((leg) => leg.held && leg.ended === undefined);
    requireThat(
      working.ended === undefined || held.length === 0,
      "I42",
      () => `legs of ${working.orderId} are held by nothing`,
    );
    this.#alert(working, legs, ofWorking);
  }

  /** Checks that an exit sells no more than its entry bought, if that ended with less than its quantity. */
  #bound(working: SeenOrder, { after, facts }: Pick<SeenChange, "after" | "facts">): void {
    const intended = facts.find((fact) => fact.kind === "CHILD_INTENDED");
    if (intended === undefined || after.orderId === working.orderId || working.ended === undefined) return;
    const committed = after.executed + exactOf(intended.child);
    const isWithin = committed <= working.executed || committed <= after.executed;
    this.#parts.requireThat(
      isWithin || working.executed >= exactOf(working.intent),
      "Release",
      () => `leg ${after.orderId} commits ${committed}, its entry executed ${working.executed}`,
    );
  }

  #canceled(before: SeenOrder | undefined): void {
    const { situations } = this.#parts;
    if (before?.held === true) situations.observe("held leg canceled");
    if (before?.released === true) situations.observe("released leg canceled");
  }

  #alert(working: SeenOrder, legs: readonly SeenOrder[], change: SeenChange | undefined): void {
    const { requireThat, situations } = this.#parts;
    const endedNow = change?.facts.some(({ kind }) => kind === "ENDED") === true;
    const neverReleased = legs.every((leg) => leg.orderId === working.orderId || leg.held);
    const isDue = endedNow && working.executed > 0 && neverReleased;
    const isReported =
      change?.facts.some((fact) => fact.kind === "ALERT" && fact.alert === "POSITION_UNPROTECTED") === true;
    if (isReported) situations.observe("position left unprotected");
    requireThat(
      isDue === isReported,
      "Release",
      () => `order ${working.orderId}: alert ${isReported}, due ${isDue}`,
    );
  }
}

const hasWon = (leg: SeenOrder): boolean => leg.trigger !== undefined || leg.attempts > 0;
