/** Seed and step at which an invariant was broken. */
export type Place = Readonly<{ seed: number; step: number }>;

/** A broken invariant, with its name, the step, the seed and the observation. */
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

/** Requires that an invariant holds. A world keeps the first that does not. `seen` is evaluated only then. */
export type RequireThat = (holds: boolean, invariant: string, seen: string | (() => string)) => void;
