import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** The repository. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

type Manifest = Readonly<{
  exports: Readonly<Record<string, unknown>>;
  dependencies: Readonly<Record<string, string>>;
}>;

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest;

/** Every name by which the package can be imported. */
export const subpaths: readonly string[] = Object.keys(manifest.exports)
  .filter((key) => key !== "./package.json")
  .map((key) => key.replace(/^\./, "managed-orders"));

type Conditions = Readonly<{ import: Readonly<{ types: string }> }>;

/** The entry points, each with the path of its types in the repository. */
export const entryPoints: readonly Readonly<{ name: string; types: string }>[] = subpaths.map((name) => {
  const key = name.replace("managed-orders", ".");
  return { name, types: (manifest.exports[key] as Conditions).import.types };
});

/** The output of a command, and its exit code. */
type Outcome = Readonly<{ status: number | null; output: string }>;

/** Runs a Node.js program in `cwd`. */
function node(cwd: string, args: readonly string[]): Outcome {
  const run = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  return { status: run.status, output: `${run.stdout}${run.stderr}` };
}

function link(folder: string, name: string): void {
  const target = join(folder, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target);
}

/** A folder outside the repository that has the packed package and its dependencies installed. */
export class Consumer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "managed-orders-consumer-"));
  readonly tarball: string = inject("tarball");
  readonly installed: string = join(this.folder, "node_modules", "managed-orders");

  /** Installs the packed package; `extra` are packages of the repository to install too. */
  constructor(extra: readonly string[] = []) {
    mkdirSync(this.installed, { recursive: true });
    const unpack = spawnSync("tar", ["-xzf", this.tarball, "--strip-components=1", "-C", this.installed]);
    if (unpack.status !== 0) throw new Error(`tar: ${unpack.stderr}`);
    for (const name of [...Object.keys(manifest.dependencies), ...extra]) link(this.folder, name);
  }

  /** Writes a file of the consumer and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a text as the program `name`; returns its output. Throws if it fails. */
  run(name: string, text: string): string {
    const { status, output } = node(this.folder, [this.write(name, text)]);
    if (status !== 0) throw new Error(output);
    return output.trim();
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
