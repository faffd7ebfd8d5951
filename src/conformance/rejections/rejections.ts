import { declareSuite, type TestFramework } from "../suite/index.ts";
import { listing } from "./listing.ts";
import { retaining } from "./retaining.ts";
import {
  createRejectionsWorld,
  type RejectionsRules,
  type RejectionsSubject,
  rejectionsSubject,
} from "./world.ts";

/** All rules of the rejections port, by subject. */
export const rejectionsRules: readonly RejectionsRules[] = [retaining, listing];

/**
 * Declares one test for each rule of the rejections port. Throws a TypeError that names a part of the description that
 * is missing, unknown or of the wrong type; a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testRejections } from "managed-orders/conformance";
 * import { createRejectionBuffer } from "managed-orders/service";
 *
 * export const declareTests = (): void =>
 *   testRejections({ describe, it }, {
 *     name: "buffer",
 *     supports: { durable: false },
 *     createPlace: () => ({
 *       open: () => ({ rejections: createRejectionBuffer(), written: () => {}, close: () => {} }),
 *       remove: () => {},
 *     }),
 *   });
 * ```
 */
export function testRejections(framework: TestFramework, subject: RejectionsSubject): void {
  rejectionsSubject(subject, "testRejections");
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `rejections: ${name}`,
    supports,
    groups: rejectionsRules,
    open: (atEnd) => createRejectionsWorld(subject, atEnd),
  });
}
