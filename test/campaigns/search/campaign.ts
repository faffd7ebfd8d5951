import { type Bounds, type FormPlan, formOf } from "./forms.ts";
import { type BrokenRule, searchForm } from "./search.ts";
import { RULES_AS_THEY_ARE, type Subject } from "./subject.ts";
import { type Row, TransitionTable } from "./table.ts";

/** The findings of the search of one form, as plain data. */
export type Finding = Readonly<{
  name: string;
  bounds: Bounds;
  states: number;
  transitions: number;
  decisions: number;
  depth: number;
  tookMs: number;
  violation?: BrokenRule;
  rows: readonly Row[];
}>;

/** Searches one form; `nowMs` measures the time. */
export function searchPlan(
  plan: FormPlan,
  nowMs: () => number,
  subject: Subject = RULES_AS_THEY_ARE,
): Finding {
  const started = nowMs();
  const form = formOf(plan, subject);
  const table = new TransitionTable();
  const { states, transitions, decisions, depth, violation } = searchForm(form, {
    subject,
    seen: (decision) => table.see(decision),
  });
  return {
    name: form.name,
    bounds: form.bounds,
    states,
    transitions,
    decisions,
    depth,
    tookMs: nowMs() - started,
    // The page shows the transitions of the lists that have no kind of their own.
    rows: plan.listKind === undefined ? table.rows : [],
    ...(violation === undefined ? {} : { violation }),
  };
}

/** Formats the table of all findings. */
export function tableOf(findings: readonly Finding[]): readonly string[] {
  const table = new TransitionTable();
  for (const { rows } of findings) for (const row of rows) table.add(row);
  return table.lines;
}

/** The bounds in words. */
export function boundsWords({ attempts, undurable, faults, lies }: Bounds): string {
  const word = lies ? "the venue may break its word once" : "the venue keeps its word";
  return `children per leg ${attempts}, records on their way ${undurable}, crashes or store failures ${faults}, ${word}`;
}

/** A broken rule with the shortest path to it, one step per line. */
export function violationLines({ name, violation }: Finding): readonly string[] {
  if (violation === undefined) return [];
  const { id, what, trace } = violation;
  const steps = trace.map((step, index) => `  ${index + 1}. ${step}`);
  return [`${id} is broken in ${name}: ${what}; after ${trace.length} steps:`, ...steps];
}
