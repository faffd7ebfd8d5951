/**
 * The two functions of a test framework that a suite calls. node:test, vitest, jest, mocha and `bun:test` have both. A
 * suite uses no hooks: each test creates what it needs and removes it at its end.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import type { TestFramework } from "managed-orders/conformance";
 * export const framework: TestFramework = { describe, it };
 * ```
 */
export interface TestFramework {
  /** Groups the tests that `body` declares. */
  describe(name: string, body: () => void): unknown;
  /** Declares one test. It fails when the promise rejects. */
  it(name: string, body: () => Promise<void>): unknown;
}
