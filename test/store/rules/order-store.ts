import { declareSuite, type Rules, type TestFramework } from "../../../src/conformance/suite.ts";
import { assignments } from "./assignments.ts";
import { endedLists } from "./ended-lists.ts";
import { endedNames } from "./ended-names.ts";
import { endedParents } from "./ended-parents.ts";
import { exactness } from "./exactness.ts";
import { forgetting } from "./forgetting.ts";
import { journal } from "./journal.ts";
import { leaseSets } from "./lease-sets.ts";
import { leases } from "./leases.ts";
import { lifetime } from "./lifetime.ts";
import { lastQuotes, marketJournal } from "./market.ts";
import { ownership } from "./ownership.ts";
import { pages } from "./pages.ts";
import { priceBars } from "./price-bars.ts";
import { retention } from "./retention.ts";
import { rounds } from "./rounds.ts";
import { snapshots } from "./snapshots.ts";
import { storedPrints } from "./stored-prints.ts";
import { tail } from "./tail.ts";
import { executedVolume } from "./volume.ts";
import { volumeDeletion } from "./volume-deletion.ts";
import {
  createStoreWorld,
  type OrderStoreSubject,
  type OrderStoreSupport,
  orderStoreSubject,
  type StoreRules,
  type StoreWorld,
} from "./world.ts";

const groups: readonly StoreRules[] = [
  ...[ownership, rounds, journal, snapshots, marketJournal, lastQuotes],
  ...[endedParents, endedNames, pages, endedLists, retention, forgetting],
  ...[executedVolume, volumeDeletion, priceBars, exactness, lifetime],
  ...[leases, leaseSets, assignments, tail, storedPrints],
];

/** All rules of the order store port, by subject and name. */
export const orderStoreRules: Readonly<Record<string, Rules<StoreWorld, OrderStoreSupport>>> =
  Object.fromEntries(
    groups.map(({ name, rules }) => [name, Object.fromEntries(rules.map((rule) => [rule.name, rule]))]),
  );

/**
 * Declares one test for each rule of the order store port. Every test uses places of its own, which it creates, closes
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testOrderStore } from "managed-orders/conformance";
 * import { createMemoryDisk, createMemoryStore } from "managed-orders/memory";
 *
 * export const declareTests = (): void =>
 *   testOrderStore({ describe, it }, {
 *     name: "memory",
 *     supports: { leases: false, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: false },
 *     createPlace() {
 *       const disk = createMemoryDisk();
 *       return { open: () => createMemoryStore({ disk }), remove: () => {} };
 *     },
 *   });
 * ```
 */
export function testOrderStore(framework: TestFramework, subject: OrderStoreSubject): void {
  orderStoreSubject(subject, "testOrderStore");
  declareSuite(framework, {
    port: "order store",
    subject,
    groups: orderStoreRules,
    open: (atEnd) => createStoreWorld(subject, atEnd),
  });
}
