import { type Decider, isBroken, type Scene } from "./decider.ts";
import type { Emit, Happening } from "./happening.ts";
import { hitsOf, trailsOf } from "./hits.ts";
import { HIGH, LOW, MIDDLE } from "./market.ts";
import { type EventCase, put, type Sighting } from "./rule-event.ts";
import type { Violation } from "./rules.ts";
import { durableOf, type World, workingOf } from "./world.ts";

const PLACES = [HIGH, MIDDLE, LOW] as const;
/** Possible results of a measurement: enough, too little, nothing. */
const EXPOSURES = [2, 1, 0] as const;

type OfLeg = Readonly<{ activated: EventCase; measured: readonly EventCase[] }>;

/** Quotes, activations and measured exposures. */
export class MarketSteps {
  readonly #scene: Scene;
  readonly #decider: Decider;
  readonly #ofLeg: readonly OfLeg[];
  readonly #fired: Map<string, EventCase> = new Map();

  constructor(scene: Scene, decider: Decider) {
    this.#scene = scene;
    this.#decider = decider;
    this.#ofLeg = scene.form.legs.map((_, leg) => ({
      activated: put({ kind: "ACTIVATED", leg }),
      measured: PLACES.flatMap((price) =>
        EXPOSURES.map((exposure) => put({ kind: "MEASURED", leg, price, exposure })),
      ),
    }));
  }

  each(world: World, emit: Emit): void {
    const legs = workingOf(world);
    const open = legs.map((_, leg) => leg).filter((leg) => (durableOf(world)[leg]?.ending ?? 0) < 0);
    const seeing = open.filter((leg) => !this.#isWornOut(world, leg));
    for (const price of PLACES) this.#quotes(world, { price, seeing }, emit);
    for (const leg of open) {
      const order = legs[leg]?.order;
      const events = this.#ofLeg[leg];
      if (order === undefined || events === undefined) continue;
      const trails = order.intent.trailing !== undefined && order.activation === undefined;
      if (trails) this.#decider.offer(world, events.activated, emit);
      if (!order.intent.reduceOnly || !seeing.includes(leg)) continue;
      for (const event of events.measured) this.#decider.offer(world, event, emit);
    }
  }

  /** A leg that has had all its children sees no more quotes: the bound on attempts. */
  #isWornOut(world: World, leg: number): boolean {
    const order = workingOf(world)[leg]?.order;
    const { form } = this.#scene;
    const most = form.plans[leg]?.attempts ?? form.bounds.attempts;
    return order === undefined || (order.child === undefined && order.attempts >= most);
  }

  #quotes(
    world: World,
    { price, seeing }: Readonly<{ price: number; seeing: readonly number[] }>,
    emit: Emit,
  ): void {
    const legs = workingOf(world);
    for (const trails of trailsOf(legs, seeing)) {
      const hits = hitsOf(legs, { seeing, price, trails });
      if (hits.length === 0) continue;
      const waits = hits.some((leg) => legs[leg]?.order.trigger === undefined);
      const reduces = hits.some((leg) => legs[leg]?.order.intent.reduceOnly);
      this.#quote(world, { sighting: { price, fresh: true }, hits }, emit);
      if (waits) this.#quote(world, { sighting: { price, fresh: false }, hits }, emit);
      if (!reduces) continue;
      for (const exposure of [2, 1])
        this.#quote(world, { sighting: { price, fresh: true, exposure }, hits }, emit);
    }
  }

  /** The legs that a quote fires meet it one after the other, each in the state that the previous one left. */
  #quote(
    world: World,
    { sighting, hits }: Readonly<{ sighting: Sighting; hits: readonly number[] }>,
    emit: Emit,
  ): void {
    const fired = hits.length < 2 ? hits : this.#ordered(world, hits);
    const happening: Happening = { kind: "QUOTE", ...sighting, fired };
    const broken = this.#misordered(hits, fired);
    if (broken !== undefined) return emit(happening, undefined, broken);
    let next = world;
    for (const leg of fired) {
      const outcome = this.#decider.decide(next, this.#firing(leg, sighting));
      if (isBroken(outcome)) return emit(happening, undefined, outcome);
      next = outcome;
    }
    if (next !== world) emit(happening, next);
  }

  /** The trigger book supplies the worst order: the leg that must come first is last. */
  #ordered(world: World, hits: readonly number[]): readonly number[] {
    const orders = workingOf(world).map(({ order }) => order);
    const placeOf = (orderId: number): number => orders.findIndex((order) => order.orderId === orderId);
    const given = [...hits].reverse().map((leg) => ({ orderId: orders[leg]?.orderId ?? 0 }));
    const ordered = this.#scene.subject.protectiveFirst(given, (orderId) => orders[placeOf(orderId)]);
    return [...ordered].map(({ orderId }) => placeOf(orderId));
  }

  /** the rule "Within one quote": all triggered legs act, and of a pair the protective leg first. */
  #misordered(hits: readonly number[], fired: readonly number[]): Violation | undefined {
    const { roles } = this.#scene.form;
    const [protective, profit] = [roles.indexOf("protective"), roles.indexOf("profit")];
    const both = profit >= 0 && hits.includes(protective) && hits.includes(profit);
    const late = both && fired.indexOf(protective) > fired.indexOf(profit);
    if (fired.length === hits.length && !late) return undefined;
    return {
      id: "Within one quote",
      what: "of two legs that one quote fires the protective one does not go first",
    };
  }

  #firing(leg: number, sighting: Sighting): EventCase {
    const name = `${leg}${sighting.price}${sighting.fresh}${sighting.exposure}`;
    const known = this.#fired.get(name);
    if (known !== undefined) return known;
    const made = put({ kind: "FIRED", leg, ...sighting });
    this.#fired.set(name, made);
    return made;
  }
}
