import type { ChildReport, ChildRequest } from "../model/index.ts";

/** What the venue says by itself; fills may come twice, late, or before the answer to the submit. */
export type VenueEvent = Readonly<{ report: ChildReport }>;

/**
 * The venue has no such child now. `notFoundAtMs` is the venue's own time, epoch milliseconds: with it the venue's clock
 * alone decides whether a deadline has passed. A venue that cannot say it answers "not-found", and its clock must agree
 * with the engine's wall clock.
 */
export type NotFound = "not-found" | Readonly<{ notFoundAtMs: number }>;

/** What a venue can be relied on for. */
export type VenueCapabilities = Readonly<{
  /** Never executes a child after the deadline it was submitted with, by its own clock. */
  honoursDeadline: boolean;
  /** Can void an id so that it can never execute. */
  canVoid: boolean;
  /** Submits it takes in any second, wherever that begins; after a pause some come at once. None means no limit. */
  ratePerSecond?: number;
}>;

/**
 * The host's execution path. `submit` is called at most once per child id. A rejected promise means that the outcome
 * is not known; the engine then looks the child up and never submits it again.
 */
export type ExecutionVenue = {
  readonly capabilities: VenueCapabilities;
  /** `deadlineMs` is in the venue's time, epoch milliseconds: the wall clock at most `submitDeadlineMs` from now. */
  submit(child: ChildRequest, options: Readonly<{ deadlineMs: number }>): Promise<ChildReport>;
  /** Rejects where the venue cannot say, as when it does not remember that far back: "not found" would be taken as proof. */
  lookup(child: ChildRequest): Promise<ChildReport | NotFound>;
  /** Makes sure that the child can never execute; resolves to "voided", or to the report when it exists. */
  voidChild?(child: ChildRequest): Promise<ChildReport | "voided">;
  /**
   * Delivers events until the returned function is called. Fills of a child that was reported closed before them come to
   * a new listener again: nobody looks that child up (decision FG).
   */
  subscribe(listener: (event: VenueEvent) => void): () => void;
};
