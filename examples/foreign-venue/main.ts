/**
 * The adapter of a foreign exchange passes every rule of the port. In a project of yours, `node:test`, vitest or jest
 * take the place of these few lines: `testExecutionVenue({ describe, it }, foreignVenue)`.
 */
import { testExecutionVenue } from "managed-orders/conformance";
import { foreignVenue } from "./place.ts";

const tests: { name: string; run: () => Promise<void> }[] = [];
testExecutionVenue(
  { describe: (_, body) => body(), it: (name, run) => tests.push({ name, run }) },
  foreignVenue,
);
for (const { name, run } of tests) {
  await run();
  console.log(`ok: ${name}`);
}
console.log(`${tests.length} rules`);
