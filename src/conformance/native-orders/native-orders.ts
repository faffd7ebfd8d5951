import { declareSuite, type TestFramework } from "../suite/index.ts";
import { cancelling, requests, restarts } from "./changes.ts";
import { type NativeOrdersSubject, nativeOrdersSubject } from "./place.ts";
import { placing } from "./placing.ts";
import { executions, finding, open, pages } from "./reads.ts";
import { type NativeRules, NativeWorld } from "./world.ts";

/** All rules of the native orders port. */
export const nativeOrdersRules: readonly NativeRules[] = [
  ...[placing, requests, cancelling, finding, pages, open, executions, restarts],
];

/**
 * Declares one test for each rule of the native orders port. Every test has a test system of its own, which it creates
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type NativeOrdersPlace, testNativeOrders } from "managed-orders/conformance";
 *
 * export const declareTests = (createPlace: () => NativeOrdersPlace): void =>
 *   testNativeOrders({ describe, it }, {
 *     name: "my exchange",
 *     supports: { cancelIf: true, open: true, byAmount: false, notionals: true, commissions: true },
 *     createPlace,
 *   });
 * ```
 */
export function testNativeOrders(framework: TestFramework, subject: NativeOrdersSubject): void {
  nativeOrdersSubject(subject, "testNativeOrders");
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `native orders: ${name}`,
    supports,
    groups: nativeOrdersRules,
    open: (atEnd) => NativeWorld.create(subject, atEnd),
  });
}
