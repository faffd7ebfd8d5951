import { declareSuite, type TestFramework } from "../suite/index.ts";
import { events } from "./events.ts";
import { executions } from "./executions.ts";
import { capability, lookups, voiding } from "./lookups.ts";
import { type ExecutionVenueSubject, executionVenueSubject } from "./place.ts";
import { refusals, submits } from "./submits.ts";
import { type VenueRules, VenueWorld } from "./world.ts";

/** All rules of the execution venue port. */
export const executionVenueRules: readonly VenueRules[] = [
  ...[capability, executions, submits, refusals, lookups, events, voiding],
];

/**
 * Declares one test for each rule of the execution venue port. Every test has an exchange of its own, which it creates
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type ExecutionVenuePlace, testExecutionVenue } from "managed-orders/conformance";
 *
 * // examples/foreign-venue has a whole place
 * export const declareTests = (createPlace: () => ExecutionVenuePlace): void =>
 *   testExecutionVenue({ describe, it }, {
 *     name: "my exchange",
 *     supports: {
 *       honoursDeadline: true,
 *       canVoid: false,
 *       venueTime: true,
 *       abortable: true,
 *       openChildren: false,
 *       partialReports: false,
 *       earlyEvents: false,
 *       lateFills: false,
 *       finalRefusals: true,
 *       fundsMark: true,
 *     },
 *     createPlace,
 *   });
 * ```
 */
export function testExecutionVenue(framework: TestFramework, subject: ExecutionVenueSubject): void {
  executionVenueSubject(subject, "testExecutionVenue");
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `execution venue: ${name}`,
    supports,
    groups: executionVenueRules,
    open: (atEnd) => VenueWorld.create(subject, atEnd),
  });
}
