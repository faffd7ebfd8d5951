import { withChild } from "./decider.ts";
import type { Emit } from "./happening.ts";
import { type Child, executedOf, reportedOf, type World, workingOf } from "./world.ts";

/** Events at the venue, with "it" for the child, and the child after each. */
type Step = Readonly<{ what: string; change: Partial<Child>; lies?: true }>;

/** Possible events at the venue, invisible to the engine; `mayLie` says whether it may break its promise. */
export function venueSteps(world: World, mayLie: boolean, emit: Emit): void {
  for (let leg = 0; leg < world.children.length; leg++) {
    for (const child of world.children[leg] ?? []) {
      const { attempt } = child;
      const reported = reportedOf(workingOf(world)[leg], child);
      for (const { what, change, lies } of stepsOf(child, { mayLie, reported })) {
        const children = withChild(world.children, { leg, attempt, change });
        const next = { ...world, children, lies: lies ? world.lies | (1 << leg) : world.lies };
        emit({ kind: "VENUE", leg, attempt, what }, next);
      }
    }
  }
}

const ARRIVALS: readonly Step[] = [
  { what: "takes it", change: { at: "open" } },
  { what: "rejects it, for now", change: { at: "rejected" } },
  { what: "refuses it for good", change: { at: "refused" } },
  { what: "does not get it before its deadline", change: { at: "lost" } },
];
const SHOWN: readonly Step[] = [{ what: "shows all its executions now", change: { hides: false } }];

type Manners = Readonly<{ mayLie: boolean; reported: number }>;

function stepsOf(child: Child, manners: Manners): readonly Step[] {
  if (child.at === "on its way") return ARRIVALS;
  if (child.at === "open") return openSteps(child, manners);
  return child.hides ? SHOWN : [];
}

/**
 * Possible next states of an open child. A fully executed child is closed; a venue that overfills reports the excess
 * last.
 */
function openSteps(child: Child, { mayLie, reported }: Manners): readonly Step[] {
  const { fills } = child;
  const rest = child.quantity - executedOf(child);
  const steps: Step[] = [
    { what: `executes ${rest} of it`, change: { at: "closed", fills: [...fills, rest] } },
  ];
  if (rest > 1) steps.push({ what: "executes 1 of it", change: { fills: [...fills, 1] } });
  steps.push({ what: "is done with it", change: { at: "closed" } });
  if (!mayLie) return steps;
  const over = { at: "closed", fills: [...fills, rest, 1] } as const;
  const quiet = { at: "closed", hides: true } as const;
  steps.push({ what: `executes ${rest} of it and 1 too many`, change: over, lies: true });
  steps.push({
    what: `executes ${rest} of it, and will report it closed before it reports that`,
    change: { ...quiet, fills: [...fills, rest] },
    lies: true,
  });
  if (reported < fills.length) {
    const what = "closes it, and will report that before the last execution";
    steps.push({ what, change: quiet, lies: true });
  }
  return steps;
}
