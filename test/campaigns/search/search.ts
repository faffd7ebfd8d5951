import { checkDecision } from "./check-decision.ts";
import { checkWorld } from "./check-world.ts";
import type { Scene } from "./decider.ts";
import type { Form } from "./forms.ts";
import { LegTable } from "./leg-table.ts";
import { type Decision, Rules, type Violation } from "./rules.ts";
import { Steps } from "./steps.ts";
import type { Subject } from "./subject.ts";
import { momentWords } from "./trace.ts";
import { firstWorld, isDone, keyOf, type World } from "./world.ts";

/** The findings of the search of one form. */
export type Result = Readonly<{
  form: Form;
  states: number;
  transitions: number;
  /** Different decisions of the rules, each checked once. */
  decisions: number;
  /** Events from the acceptance to the farthest state. */
  depth: number;
  violation?: BrokenRule;
}>;

/** A broken rule, and the shortest path to it in words, step by step. */
export type BrokenRule = Violation & Readonly<{ trace: readonly string[] }>;

/** Options of a search. */
export type SearchOptions = Readonly<{
  subject: Subject;
  /** Receives every different decision that changes something. */
  seen?: (decision: Decision) => void;
}>;

/** Visits every state that a form can reach, nearest first, and stops at the first broken rule. */
export function searchForm(form: Form, { subject, seen = () => undefined }: SearchOptions): Result {
  const table = new LegTable();
  const rules = new Rules(form, { subject, table }, { check: checkDecision, seen });
  const search = new Search({ form, subject, rules }, firstWorld(form, table));
  search.run();
  const counts = { form, ...search.counts, decisions: rules.size };
  return search.violation === undefined ? counts : { ...counts, violation: search.violation };
}

class Search {
  readonly #scene: Scene;
  readonly #steps: Steps;
  readonly #first: World;
  readonly #numbers: Map<string, number> = new Map();
  /** Worlds that are not yet visited; visited ones are released. */
  readonly #worlds: (World | undefined)[] = [];
  readonly #parents: number[] = [];
  /** The step of its parent that leads to a world. */
  readonly #turns: number[] = [];
  readonly #depths: number[] = [];
  /** Steps between worlds, as pairs from, to. */
  readonly #edges: number[] = [];
  #transitions = 0;
  violation: BrokenRule | undefined;

  constructor(scene: Scene, first: World) {
    this.#scene = scene;
    this.#steps = new Steps(scene);
    this.#first = first;
  }

  get counts(): Pick<Result, "states" | "transitions" | "depth"> {
    return { states: this.#parents.length, transitions: this.#transitions, depth: this.#depths.at(-1) ?? 0 };
  }

  run(): void {
    this.#add(this.#first, -1, 0);
    const done: number[] = [];
    for (let number = 0; number < this.#worlds.length && this.violation === undefined; number++) {
      const world = this.#worlds[number];
      if (world === undefined) continue;
      this.#worlds[number] = undefined;
      if (isDone(world)) done.push(number);
      this.#expand(world, number);
    }
    if (this.violation === undefined) this.#checkEnds(done);
  }

  #expand(world: World, number: number): void {
    let turn = -1;
    this.#steps.each(world, (_happening, next, violation) => {
      turn++;
      if (this.violation !== undefined) return;
      this.#transitions++;
      const broken = violation ?? (next && checkWorld(this.#scene.form, next));
      if (broken !== undefined) this.violation = { ...broken, trace: this.#trace(number, turn) };
      else if (next !== undefined) this.#edges.push(number, this.#add(next, number, turn));
    });
  }

  #add(world: World, parent: number, turn: number): number {
    const key = keyOf(world);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#parents.length;
    this.#numbers.set(key, number);
    this.#worlds.push(world);
    this.#parents.push(parent);
    this.#turns.push(turn);
    this.#depths.push((this.#depths[parent] ?? -1) + 1);
    return number;
  }

  /** I43, I63: from every state, the end of the whole list can be reached. */
  #checkEnds(done: readonly number[]): void {
    const states = this.#parents.length;
    const into = predecessors(this.#edges, states);
    const ends = new Uint8Array(states);
    const queue = [...done];
    for (const number of done) ends[number] = 1;
    for (let index = 0; index < queue.length; index++) {
      const number = queue[index] ?? 0;
      for (let at = into.starts[number] ?? 0; at < (into.starts[number + 1] ?? 0); at++) {
        const from = into.sources[at] ?? 0;
        if (ends[from] === 1) continue;
        ends[from] = 1;
        queue.push(from);
      }
    }
    const stuck = ends.indexOf(0);
    if (stuck < 0) return;
    const what = "from here the list can never come to its end";
    this.violation = { id: "I43, I63", what, trace: this.#trace(stuck, -1) };
  }

  /** Rebuilds the path to a world, and its step `turn`. */
  #trace(number: number, turn: number): readonly string[] {
    const turns: number[] = turn < 0 ? [] : [turn];
    for (let at = number; at > 0; at = this.#parents[at] ?? 0) turns.unshift(this.#turns[at] ?? 0);
    const reported: string[] = [];
    let world: World | undefined = this.#first;
    for (const taken of turns) {
      const before: World | undefined = world;
      let index = -1;
      if (before === undefined) break;
      this.#steps.each(before, (happening, after) => {
        if (++index !== taken) return;
        reported.push(momentWords(this.#scene, { before, happening }));
        world = after;
      });
    }
    return reported;
  }
}

/** Per state, the index in `sources` where its predecessors begin; they end where the next ones begin. */
type Predecessors = Readonly<{ starts: Uint32Array; sources: Uint32Array }>;

function predecessors(edges: readonly number[], states: number): Predecessors {
  const starts = new Uint32Array(states + 1);
  for (let at = 1; at < edges.length; at += 2) {
    const after = (edges[at] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let state = 1; state <= states; state++) {
    starts[state] = (starts[state] ?? 0) + (starts[state - 1] ?? 0);
  }
  const next = starts.slice();
  const sources = new Uint32Array(edges.length / 2);
  for (let at = 0; at < edges.length; at += 2) {
    const to = edges[at + 1] ?? 0;
    const place = next[to] ?? 0;
    sources[place] = edges[at] ?? 0;
    next[to] = place + 1;
  }
  return { starts, sources };
}
