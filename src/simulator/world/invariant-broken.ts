/** Where a world stood when something was not as it must be. */
export type Place = Readonly<{ seed: number; step: number }>;

/** Something that must always hold does not; names the invariant, the step, the seed and what was seen. */
export class InvariantBroken extends Error {
  readonly invariant: string;
  readonly seen: string;
  readonly place: Place;

  constructor(invariant: string, seen: string, place: Place) {
    super(`${invariant} in step ${place.step} of seed ${place.seed}: ${seen}`);
    this.name = "InvariantBroken";
    this.invariant = invariant;
    this.seen = seen;
    this.place = place;
  }
}

/** Says that an invariant must hold; a world keeps the first that does not. `seen` is asked for only then. */
export type Demand = (holds: boolean, invariant: string, seen: string | (() => string)) => void;
