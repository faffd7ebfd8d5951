import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The folders of src/ under mutation, with the tests that must notice their mutants: the folder of the same name in
 * test/, and those files of other folders that are about it alone. A name after `!` does not count: such tests measure
 * time or memory, or many elements, and would take minutes for all mutants that survive.
 */
export const FOLDERS = {
  decimal: ["decimal"],
  schedules: ["schedules", "property/schedules.test.ts"],
  signing: ["signing", "vectors/signatures.test.ts"],
  triggers: [
    ...["triggers", "property/trigger-mirror.test.ts", "property/trigger-book-seeds.test.ts"],
    ...["!triggers/leftist-heap-size.test.ts", "!triggers/memory.test.ts", "!triggers/slices-size.test.ts"],
  ],
  lifecycle: ["lifecycle"],
  wire: ["wire", "property/written-and-read.test.ts"],
  // The tests of durability, of failures of the store, and of housekeeping. Others of the engine pass through this code,
  // too, but for other rules.
  "engine/commit": [
    "placement-forms",
    "submit-signal",
    "availability",
    "closing",
    "turns",
    "committer",
    "fact-events",
    "failing-store-pace",
    "fencing",
    "housekeeping",
    "late-append",
    "mark-pause",
    "order-life",
    "print-history",
    "market",
    "recovery",
    "reload-races",
    "reload-slices.long",
    "settlement",
    "silent-append",
    "silent-store",
    "snapshot-slices",
    "status",
    "store-failures",
    "upkeep",
  ].map((name) => `engine/${name}.test.ts`),
};

/** The test files of a folder, as paths from the root of the repository. */
export function testFilesOf(folder) {
  const left = FOLDERS[folder].filter((name) => name.startsWith("!")).map((name) => `test/${name.slice(1)}`);
  const files = FOLDERS[folder].flatMap((name) => {
    if (name.startsWith("!")) return [];
    if (name.endsWith(".ts")) return [`test/${name}`];
    const inside = readdirSync(join("test", name), { recursive: true });
    const tests = inside.filter((file) => /(?<!\.(alone|built))\.test\.ts$/.test(file));
    return tests.sort().map((file) => `test/${name}/${file}`);
  });
  return files.filter((file) => !left.includes(file));
}
