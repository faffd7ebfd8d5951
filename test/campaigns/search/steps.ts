import { ChildSteps } from "./child-steps.ts";
import { Decider, type Scene } from "./decider.ts";
import type { Emit } from "./happening.ts";
import { MarketSteps } from "./market-steps.ts";
import { type EventCase, put } from "./rule-event.ts";
import { durableStep, faultSteps } from "./store-steps.ts";
import { venueSteps } from "./venue-steps.ts";
import { durableOf, type World, workingOf } from "./world.ts";

/** Every possible next event of a world, always in the same order. */
export class Steps {
  readonly #scene: Scene;
  readonly #decider: Decider;
  readonly #market: MarketSteps;
  readonly #children: ChildSteps;
  readonly #owner: readonly Readonly<{ cancel: EventCase; expired: EventCase }>[];

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#decider = new Decider(scene);
    this.#market = new MarketSteps(scene, this.#decider);
    this.#children = new ChildSteps(scene, this.#decider);
    this.#owner = scene.form.legs.map((_, leg) => ({
      cancel: put({ kind: "CANCEL", leg }),
      expired: put({ kind: "EXPIRED", leg }),
    }));
  }

  each(world: World, emit: Emit): void {
    const { bounds } = this.#scene.form;
    durableStep(world, emit);
    this.#children.handOvers(world, emit);
    if (world.versions.length <= bounds.undurable) {
      this.#market.each(world, emit);
      this.#children.each(world, emit);
      this.#ends(world, emit);
    }
    venueSteps(world, bounds.lies && world.lies === 0, emit);
    this.#clock(world, emit);
    if (world.faults < bounds.faults) faultSteps(world, emit);
  }

  /**
   * A cancel by the owner, through any leg that is open as decided; the engine puts no other cancel to the rules. An
   * expiry, at any time after it is reached.
   */
  #ends(world: World, emit: Emit): void {
    for (const [leg, { cancel, expired }] of this.#owner.entries()) {
      if (!isOpen(world, leg)) continue;
      if ((workingOf(world)[leg]?.ending ?? 0) < 0) this.#decider.offer(world, cancel, emit);
      const { expiresAt } = this.#scene.form.plans[leg] ?? {};
      if (expiresAt !== undefined && world.clock >= expiresAt) this.#decider.offer(world, expired, emit);
    }
  }

  /** The clock advances to the next expiry of a leg. */
  #clock(world: World, emit: Emit): void {
    const waits = this.#scene.form.plans.some(({ expiresAt = 0 }, leg) => {
      return expiresAt > world.clock && isOpen(world, leg);
    });
    if (waits) emit({ kind: "CLOCK" }, { ...world, clock: world.clock + 1 });
  }
}

const isOpen = (world: World, leg: number): boolean => (durableOf(world)[leg]?.ending ?? 0) < 0;
