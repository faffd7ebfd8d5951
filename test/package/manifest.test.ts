import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Folders that are subpaths of the package as soon as they have an index.ts; the others are parts of the root. */
const publicFolders = {
  ".": "index",
  "./signing": "signing/index",
  "./client": "client/index",
  "./engine": "engine/index",
  "./cluster": "cluster/index",
  "./rules": "rules/index",
  "./service": "service/index",
  "./ports": "ports/index",
  "./simulator": "simulator/index",
  "./conformance": "conformance/index",
  "./memory": "adapters/memory/index",
  "./sqlite": "adapters/sqlite/index",
  "./postgres": "adapters/postgres/index",
  "./store": "store/index",
  "./lmdb": "adapters/lmdb/index",
  "./venue-http": "adapters/venue-http/index",
  "./node": "adapters/node/index",
};

type Manifest = Readonly<{
  exports: Readonly<Record<string, unknown>>;
  typesVersions: unknown;
  bin?: unknown;
  scripts: Readonly<Record<string, string>>;
  typedocOptions: Readonly<{ entryPoints: readonly string[] }>;
}>;

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest;
const present = Object.entries(publicFolders).filter(([, file]) => existsSync(`${root}src/${file}.ts`));

const conditions = (file: string): unknown => ({
  import: { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
  require: { types: `./dist/${file}.d.cts`, default: `./dist/${file}.cjs` },
});

describe("package.json", () => {
  it("exports every public folder that exists, for ESM and for CommonJS", () => {
    const expected = present.map(([name, file]) => [name, conditions(file)]);
    expect(manifest.exports).toEqual({ ...Object.fromEntries(expected), "./package.json": "./package.json" });
  });

  it("has the types of each subpath for compilers that do not read `exports`", () => {
    const subpaths = present.filter(([name]) => name !== ".");
    const paths = subpaths.map(([name, file]) => [name.replace("./", ""), [`./dist/${file}.d.cts`]]);
    expect(manifest.typesVersions).toEqual({ "*": Object.fromEntries(paths) });
  });

  it("builds the reference for exactly these entry points", () => {
    const files = present.map(([, file]) => `src/${file}.ts`);
    expect([...manifest.typedocOptions.entryPoints].sort()).toEqual([...files].sort());
  });

  it("names each in the reference as it is imported", () => {
    const modules = present.map(
      ([, file]) => /^ \* @module (\S+)$/m.exec(readFileSync(`${root}src/${file}.ts`, "utf8"))?.[1],
    );
    expect(modules).toEqual(present.map(([name]) => name.replace(/^\./, "managed-orders")));
  });

  it("has the command and `npm start` if the sandbox has them", () => {
    const cli = existsSync(`${root}src/sandbox/cli.ts`);
    expect(manifest.bin).toEqual(cli ? { "managed-orders": "dist/sandbox/cli.js" } : undefined);
    const { prestart, start } = manifest.scripts;
    expect(prestart).toBe(cli ? "node test/program.mjs --build front console sandbox" : undefined);
    expect(start).toBe(cli ? "node node_modules/.cache/sandbox.mjs sandbox" : undefined);
  });
});
