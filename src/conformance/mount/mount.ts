import { declareSuite, type TestFramework } from "../suite/index.ts";
import { answerRules, closingRules, connectionRules } from "./answers.ts";
import { type MountSubject, mountSubject } from "./place.ts";
import { requestRules } from "./requests.ts";
import { socketRules } from "./sockets.ts";
import { type MountRules, MountWorld } from "./world.ts";

/** All rules of a mount. */
export const mountRules: readonly MountRules[] = [
  ...[requestRules, answerRules, connectionRules, socketRules, closingRules],
];

/**
 * Declares one test for each rule of a mount: of a server that hands requests over to the service. Every test starts a
 * server of its own with a stand-in for the service, and closes it. Throws a TypeError that names a part of the
 * description that is missing, unknown or of the wrong type; a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type OpenMount, testMount } from "managed-orders/conformance";
 * import type { Service } from "managed-orders/service";
 *
 * export const declareTests = (open: (service: Service) => Promise<OpenMount>): void =>
 *   testMount({ describe, it }, {
 *     name: "my server",
 *     supports: { sockets: true, ownRoutes: true, drains: true },
 *     open,
 *   });
 * ```
 */
export function testMount(framework: TestFramework, subject: MountSubject): void {
  mountSubject(subject, "testMount");
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `mount: ${name}`,
    supports,
    groups: mountRules,
    open: (atEnd) => MountWorld.create(subject, atEnd),
  });
}
