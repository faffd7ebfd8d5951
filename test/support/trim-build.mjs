/**
 * Removes from the JavaScript in dist/ what nobody reads: comments, which are in the types and in the repository; spaces of
 * CommonJS, which keeps a line for each statement; files that nothing in package.json leads to, such as those by which
 * tsup keeps each module of the core apart. Names stay as they are: a stack trace says where it was.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** Programs of threads, which are started by name. */
const THREADS = ["adapters/node/front/thread", "adapters/sqlite/store-writer"].flatMap((name) =>
  ["js", "cjs"].map((extension) => `dist/${name}.${extension}`),
);

/** Imports of other files in `compact` code. */
const IMPORTS = /(?:\bfrom|\bimport|\bimport\(|\brequire\()"(\.[^"]+)"/g;

/** Returns code without spaces and comments. */
const compact = (code) => transformSync(code, { minifyWhitespace: true, target: "node20" }).code;

/** Returns all nodes of some code. */
function nodesOf(code) {
  const nodes = [ts.createSourceFile("code.js", code, ts.ScriptTarget.ES2022)];
  // The loop also takes what is added meanwhile.
  for (const node of nodes) ts.forEachChild(node, (child) => void nodes.push(child));
  return nodes;
}

/** Returns the parts of code between some ranges. */
function between(code, ranges) {
  const ends = [...new Map(ranges.map(({ pos, end }) => [pos, end]))].sort(([a], [b]) => a - b);
  return [...ends, [code.length]].map(([pos], index) => code.slice(ends[index - 1]?.[1] ?? 0, pos));
}

/** Returns code with a line for each statement. */
function lined(code) {
  const ends = nodesOf(code).filter((node) => ts.isStatement(node) || ts.isClassElement(node));
  return between(
    code,
    ends.map(({ end }) => ({ pos: end, end })),
  ).join("\n");
}

/** Returns code without comments, but for marks of pure calls: bundlers leave these out if nobody uses the result. */
function uncommented(code) {
  const comments = nodesOf(code).flatMap(({ pos }) => ts.getLeadingCommentRanges(code, pos) ?? []);
  const marks = ({ pos, end }) => code.slice(pos, end).includes("__PURE__");
  const parts = between(
    code,
    comments.filter((range) => !marks(range)),
  );
  return [...parts.slice(0, -1).map((part) => part.trimEnd()), parts.at(-1)].join("").trimStart();
}

/** Returns the paths in a value of package.json, below the root. */
const pathsIn = (value) =>
  typeof value === "string" ? [join(value)] : Object.values(value).flatMap((inner) => pathsIn(inner));

/** Returns the paths of files that some files lead to, and of these themselves. */
function reached(starts) {
  const paths = new Set(starts);
  for (const path of paths)
    for (const [, name] of compact(readFileSync(root + path, "utf8")).matchAll(IMPORTS))
      paths.add(join(dirname(path), name));
  return paths;
}

const { exports, imports, bin } = manifest;
const starts = pathsIn({ exports, imports, bin }).filter((path) => /\.c?js$/.test(path));
const paths = reached([...starts, ...THREADS]);
for (const name of readdirSync(`${root}dist`, { recursive: true, encoding: "utf8" })) {
  const path = `${root}dist/${name}`;
  if (!/\.c?js$/.test(name)) continue;
  if (!paths.has(`dist/${name}`)) rmSync(path);
  else {
    const code = readFileSync(path, "utf8");
    writeFileSync(path, name.endsWith(".cjs") ? lined(compact(code)) : uncommented(code));
  }
}
