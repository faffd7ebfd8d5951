import { declareSuite, type TestFramework } from "../../../src/conformance/suite.ts";
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
import { createStoreWorld, type OrderStoreSubject, orderStoreSubject, type StoreRules } from "./world.ts";

/** All rules of the order store port, by subject and name. */
export const orderStoreRules: Readonly<Record<string, StoreRules>> = {
  ...{ ownership, rounds, journal, snapshots, "market journal": marketJournal, "last quotes": lastQuotes },
  ...{ "ended parents": endedParents, "ended names": endedNames, pages, "ended lists": endedLists },
  ...{ retention, forgetting, "executed volume": executedVolume, "deleting volume": volumeDeletion },
  ...{ "price bars": priceBars, "exact values": exactness, lifetime, leases, "sets of shards": leaseSets },
  ...{ "assigned shards": assignments, tail, "stored prints": storedPrints },
};

/**
 * Declares one test for each rule of the order store port. Every test uses places of its own, which it creates, closes
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
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
