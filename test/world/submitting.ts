import type { ChildRequest } from "../../src/model/index.ts";
import type { Instance } from "./instance.ts";

/** A child that reaches the venue. */
export type Submitting = Readonly<{
  child: ChildRequest;
  deadlineMs: number;
  instance: Instance;
  /** True time at which its process handed it over. */
  requestedAtMs: number;
  /** Whether the process stopped after that, and before the child was on the wire. */
  isStopped: boolean;
}>;
