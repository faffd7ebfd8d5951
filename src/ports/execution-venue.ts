import type { ChildReport, ChildRequest } from "../model/index.ts";

/** What the venue says by itself; fills may come twice, late, or before the answer to the submit. */
export type VenueEvent = Readonly<{ report: ChildReport }>;

/** What a venue can be relied on for. */
export type VenueCapabilities = Readonly<{
  /** Never executes a child after the deadline it was submitted with. */
  honoursDeadline: boolean;
  /** Can void an id so that it can never execute. */
  canVoid: boolean;
  /** Submits a second it takes; none means no limit. */
  ratePerSecond?: number;
}>;

/**
 * The host's execution path. `submit` is called at most once per child id. A rejected promise means that the outcome
 * is not known; the engine then looks the child up and never submits it again.
 */
export type ExecutionVenue = {
  readonly capabilities: VenueCapabilities;
  submit(child: ChildRequest, options: Readonly<{ deadlineMs: number }>): Promise<ChildReport>;
  /** Resolves to "not-found" when the venue has no such child now. */
  lookup(child: ChildRequest): Promise<ChildReport | "not-found">;
  /** Makes sure that the child can never execute; resolves to "voided", or to the report when it exists. */
  voidChild?(child: ChildRequest): Promise<ChildReport | "voided">;
  /** Delivers events until the returned function is called. */
  subscribe(listener: (event: VenueEvent) => void): () => void;
};
