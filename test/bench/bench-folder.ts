import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate folder for files that a benchmark writes. */
export type BenchFolder = Readonly<{ path(name: string): string; remove(): void }>;

export function benchFolder(): BenchFolder {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-bench-"));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
