import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the packed package. */
    readonly tarball: string;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds dist/ if a source is newer than the last complete build, whose last file is this one. */
function build(): void {
  const words = ["test/program.mjs", "--build", "package"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm run build failed\n${stdout}${stderr}`);
}

/** Packs the package with the present dist/; returns the path of the tarball. */
function pack(folder: string): string {
  const words = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed\n${stdout}${stderr}`);
  return join(folder, stdout.trim());
}

/** Builds and packs the package once for all test files; the returned function removes the tarball. */
export function setup({ provide }: TestProject): () => void {
  build();
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-tarball-"));
  provide("tarball", pack(folder));
  return () => rmSync(folder, { recursive: true });
}
