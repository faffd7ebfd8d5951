/**
 * Emits the types of the package into dist/, as `tsc --emitDeclarationOnly` does: for each source that the types of the
 * entry points in package.json reference, one `.d.ts` for ESM and one `.d.cts` for CommonJS beside its JavaScript, each
 * with a map that leads an editor to the source.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** Declarations of the entry points: dist/engine/index.d.ts. */
const entries = Object.values(manifest.exports).flatMap(({ import: esm }) =>
  esm ? [join(root, esm.types)] : [],
);

/** Relative imports in a declaration: `from "./price.ts"`, `import("../model/index.ts")`. */
const RELATIVE = /(\bfrom |\bimport\()"(\.{1,2}\/[^"]+)\.ts"/g;

/** Returns the declarations of all sources, and their maps, by path. */
function emitted() {
  const sources = entries.map((path) =>
    path.replace(`${root}dist/`, `${root}src/`).replace(/\.d\.ts$/, ".ts"),
  );
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: sources }, ts.sys, root);
  const emit = { noEmit: false, emitDeclarationOnly: true, declarationMap: true };
  const folders = { rootDir: `${root}src`, outDir: `${root}dist` };
  const texts = new Map();
  const program = ts.createProgram(sources, { ...options, ...emit, ...folders });
  const { diagnostics } = program.emit(undefined, (path, text) => texts.set(path, text));
  if (diagnostics.length > 0)
    throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, "\n"));
  return texts;
}

/** Returns the paths of the declarations that the entry points reference. */
function reached(texts) {
  const paths = new Set(entries);
  for (const path of paths)
    for (const [, , name] of texts.get(path).matchAll(RELATIVE))
      paths.add(join(dirname(path), `${name}.d.ts`));
  return paths;
}

/** Writes a declaration and its map. Relative imports reference files of the same form. */
function write(path, { text, map, extension }) {
  const name = basename(path);
  const imports = text.replace(RELATIVE, `$1"$2${extension}"`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.map`, JSON.stringify({ ...JSON.parse(map), file: name }));
  writeFileSync(path, imports.replace(/^\/\/# sourceMappingURL=.*/m, `//# sourceMappingURL=${name}.map`));
}

const texts = emitted();
// The package root is last: `test/program.mjs` compares its types with the sources.
for (const path of [...reached(texts)].reverse()) {
  const [text, map] = [texts.get(path), texts.get(`${path}.map`)];
  write(path, { text, map, extension: ".js" });
  write(path.replace(/\.d\.ts$/, ".d.cts"), { text, map, extension: ".cjs" });
}
