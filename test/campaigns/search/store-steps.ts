import { withChild } from "./decider.ts";
import type { Emit } from "./happening.ts";
import type { World } from "./world.ts";

/** The oldest record becomes durable: its child, if it has one, goes to the dispatcher. */
export function durableStep(world: World, emit: Emit): void {
  if (world.versions.length < 2) return;
  const [submits = -1, ...later] = world.submits;
  const attempt = world.versions[1]?.[submits]?.order.attempts ?? 0;
  const sent = world.children[submits]?.find((child) => child.attempt === attempt);
  const children =
    sent?.at === "unsent"
      ? withChild(world.children, { leg: submits, attempt, change: { due: true } })
      : world.children;
  emit({ kind: "DURABLE" }, { ...world, versions: world.versions.slice(1), submits: later, children });
}

/**
 * A crash, or a failure of the store that the process survives. Of the records in flight any number is in the store
 * afterwards, from the oldest on; if the process survives, decisions after the failed append are made again. A new
 * process holds no child; a surviving process still holds a child that it was about to hand over. A child whose record
 * is found in the store is not handed over: it counts as lost, and is looked up.
 * A crash without records in flight and without due children changes nothing, and is left out.
 */
export function faultSteps(world: World, emit: Emit): void {
  const of = world.versions.length - 1;
  const holds = world.children.some((children) => children.some(({ due }) => due));
  for (let stored = 0; stored <= of && (of > 0 || holds); stored++) {
    emit({ kind: "CRASH", stored, of }, reread(world, { stored, lives: false }));
  }
  for (let stored = 0; stored <= 1 && of > 0; stored++) {
    emit({ kind: "STORE_FAILS", stored, of }, reread(world, { stored, lives: true }));
  }
}

function reread(world: World, { stored, lives }: Readonly<{ stored: number; lives: boolean }>): World {
  const legs = world.versions[stored] ?? [];
  const children = world.children.map((known, leg) =>
    known
      .filter(({ attempt, at }) => attempt <= (legs[leg]?.order.attempts ?? 0) || at !== "unsent")
      .map((child) => (lives || !child.due ? child : { ...child, due: false })),
  );
  return { ...world, versions: [legs], submits: [], children, faults: world.faults + 1 };
}
