import type { ParentOrder } from "../../../src/model/index.ts";
import { checkKind } from "./check-kinds.ts";
import type { Form } from "./forms.ts";
import type { Violation } from "./rules.ts";
import type { Subject } from "./subject.ts";

/** Rules of all legs together, whether durable or only decided. */
export function checkLegs(form: Form, subject: Subject, legs: readonly ParentOrder[]): Violation | undefined {
  for (const [place, leg] of legs.entries()) {
    const violation = checkStatus(subject, leg) ?? checkMarks(leg);
    if (violation !== undefined) return { ...violation, what: `${form.roles[place]} leg: ${violation.what}` };
  }
  if (form.listKind !== undefined)
    return checkKind(form, legs) ?? checkWhole(legs) ?? checkListStatus(subject, legs);
  return checkPair(form, legs) ?? checkHeld(form, legs) ?? checkWhole(legs) ?? checkListStatus(subject, legs);
}

const OPEN = ["NEW", "PARTIALLY_FILLED"];

/** I51: the table of convention 1.1, word for word. */
function checkStatus(subject: Subject, leg: ParentOrder): Violation | undefined {
  const view = subject.statusOf(leg);
  const shown = `${view.status} ${view.apiState} held=${view.held} cancelPending=${view.cancelPending}`;
  const broken = (what: string): Violation => ({ id: "I51", what: `${what} is shown as ${shown}` });
  if (leg.ended !== undefined) {
    const { status } = leg.ended;
    const fits = view.status === status && view.apiState === status && !view.held && !view.cancelPending;
    return fits ? undefined : broken(`an order that ended ${status}`);
  }
  if (leg.held) {
    const fits =
      view.status === "PENDING_NEW" && view.apiState === "WAITING" && view.held && !view.cancelPending;
    return fits ? undefined : broken("a held leg");
  }
  const status = OPEN[Number(leg.executedQuantity) > 0 ? 1 : 0];
  const state = leg.child === undefined ? "WAITING" : leg.child.state === "UNKNOWN" ? "UNKNOWN" : "WORKING";
  const canceling = leg.pendingEnd?.status === "CANCELED";
  const fits =
    view.status === status && view.apiState === state && !view.held && view.cancelPending === canceling;
  return fits
    ? undefined
    : broken(`an open order (${status}, ${state}${canceling ? ", being canceled" : ""})`);
}

/** Combinations that no leg may ever have. */
function checkMarks({
  ended,
  child,
  held,
  pendingEnd,
  frozen,
  attempts,
}: ParentOrder): Violation | undefined {
  if (frozen) return { id: "I50", what: "is stopped by a broken rule" };
  if (ended !== undefined && child !== undefined)
    return { id: "I23", what: "has ended with a child outstanding" };
  if (ended !== undefined && pendingEnd !== undefined)
    return { id: "I50", what: "has ended and still waits to end" };
  if (pendingEnd !== undefined && child === undefined)
    return { id: "I43", what: "waits for the outcome of a child that is not there" };
  if (held && (child !== undefined || attempts > 0))
    return { id: "I23", what: "is held and has had a child" };
  return undefined;
}

const hasWon = ({ trigger, attempts }: ParentOrder): boolean => trigger !== undefined || attempts > 0;

/** I40: at most one leg of a pair triggers or has a child, and then the other has ended. */
function checkPair(form: Form, legs: readonly ParentOrder[]): Violation | undefined {
  const pair = legs.filter(
    (_, place) => form.roles[place] === "protective" || form.roles[place] === "profit",
  );
  const winner = pair.find(hasWon);
  const other = pair.find((leg) => leg !== winner);
  if (winner === undefined || other === undefined) return undefined;
  if (hasWon(other)) return { id: "I40", what: "both legs of the pair have won" };
  return other.ended === undefined
    ? { id: "I40", what: "a leg has won and its sibling is still open" }
    : undefined;
}

/**
 * I41, I42: held until the working leg has filled completely, or ended with a rest that a setting counts as filled; if it
 * ends otherwise, no pending leg is open.
 */
function checkHeld(form: Form, legs: readonly ParentOrder[]): Violation | undefined {
  const working = legs[form.roles.indexOf("working")];
  if (working === undefined) return undefined;
  const isCounted =
    form.rules.residualCountsAsFilled === true && working.ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";
  const isWhole = working.executedQuantity >= working.intent.quantity || isCounted;
  for (const [place, leg] of legs.entries()) {
    if (leg === working) continue;
    const role = form.roles[place];
    const isReleased = leg.held === undefined;
    if (isReleased && !isWhole)
      return { id: "I41", what: `the ${role} leg is released and the working leg is not filled` };
    if (!isReleased && leg.ended === undefined && isWhole)
      return { id: "I41", what: `the working leg is filled and the ${role} leg is still held` };
    if (working.ended !== undefined && !isWhole && leg.ended === undefined)
      return {
        id: "I42",
        what: `the working leg ended ${working.ended.status} and the ${role} leg is still open`,
      };
  }
  return undefined;
}

/** I43: after the owner canceled one leg, every leg is ended or being canceled. */
function checkWhole(legs: readonly ParentOrder[]): Violation | undefined {
  const canceled = legs.some(({ ended, pendingEnd }) => (ended ?? pendingEnd)?.reason === "USER_CANCELED");
  const open = legs.find(({ ended, pendingEnd }) => (ended ?? pendingEnd) === undefined);
  return canceled && open !== undefined
    ? { id: "I43", what: "one leg is canceled and another continues" }
    : undefined;
}

/** I44: done if and only if every leg has ended. */
function checkListStatus(subject: Subject, legs: readonly ParentOrder[]): Violation | undefined {
  const { listStatusType, listOrderStatus } = subject.listStatusOf({ legs });
  const isDone = legs.every(({ ended }) => ended !== undefined);
  const fits = isDone
    ? listStatusType === "ALL_DONE" && listOrderStatus === "ALL_DONE"
    : listStatusType === "EXEC_STARTED" && listOrderStatus === "EXECUTING";
  const what = `${isDone ? "every leg has ended" : "a leg is open"} and the list says ${listStatusType} ${listOrderStatus}`;
  return fits ? undefined : { id: "I44", what };
}
