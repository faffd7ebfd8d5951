import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The folders of src/ under mutation, with the tests that must notice their mutants: the folder of the same name in
 * test/, and those files of other folders that are about it alone.
 */
export const FOLDERS = {
  decimal: ["decimal"],
  schedules: ["schedules", "property/schedules.test.ts"],
  signing: ["signing", "vectors/signatures.test.ts"],
  triggers: ["triggers", "property/trigger-mirror.test.ts"],
  lifecycle: ["lifecycle"],
  wire: ["wire", "property/written-and-read.test.ts"],
  "engine/commit": [
    ...[
      "availability",
      "closing",
      "commit-turns",
      "failing-store-pace",
      "fencing",
      "housekeeping",
      "late-append",
    ],
    ...["mark-pause", "silent-store", "snapshot-slices", "store-failures", "turns"],
  ].map((name) => `engine/${name}.test.ts`),
};

/** The test files of a folder, as paths from the root of the repository. */
export function testFilesOf(folder) {
  return FOLDERS[folder].flatMap((name) => {
    if (name.endsWith(".ts")) return [`test/${name}`];
    const inside = readdirSync(join("test", name), { recursive: true });
    const tests = inside.filter((file) => /(?<!\.(mocked|built))\.test\.ts$/.test(file));
    return tests.sort().map((file) => `test/${name}/${file}`);
  });
}
