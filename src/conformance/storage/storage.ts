import { declareSuite, type TestFramework } from "../suite/index.ts";
import { concurrency } from "./concurrency.ts";
import { lifetime } from "./lifetime.ts";
import { pages } from "./pages.ts";
import { ranges } from "./ranges.ts";
import { texts } from "./texts.ts";
import { transactions } from "./transactions.ts";
import { createStorageWorld, type StorageRules, type StorageSubject, storageSubject } from "./world.ts";

/** All rules of the storage port, by subject. */
export const storageRules: readonly StorageRules[] = [
  ...[transactions, concurrency, ranges, pages, texts, lifetime],
];

/**
 * Declares one test for each rule of the storage port. Every test uses places of its own, which it creates, closes and
 * removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type; a test
 * that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testStorage } from "managed-orders/conformance";
 * import { createMemoryDisk, createMemoryStorage } from "managed-orders/memory";
 *
 * export const declareTests = (): void =>
 *   testStorage({ describe, it }, {
 *     name: "memory",
 *     supports: { durable: true, shared: false },
 *     createPlace() {
 *       const disk = createMemoryDisk();
 *       return { open: () => createMemoryStorage({ disk }), remove: () => {} };
 *     },
 *   });
 * ```
 */
export function testStorage(framework: TestFramework, subject: StorageSubject): void {
  storageSubject(subject, "testStorage");
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `storage: ${name}`,
    supports,
    groups: storageRules,
    open: (atEnd) => createStorageWorld(subject, atEnd),
  });
}
