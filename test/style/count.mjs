/**
 * Counts the size of the project at one or two commits, and of the working tree: `npm run program -- count [COMMIT...]`.
 * Prints one row a measure, and how many public names each state has that the one before had not.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, relative } from "node:path";
import ts from "typescript";

/** Pages that programs and tests write, whole or for the most part. */
const MADE = new Set(
  ["conformance", "errors", "existing-clients", "host-faults", "list-transitions", "surface"].map(
    (name) => `${name}.md`,
  ),
);

/** What stands between spaces and has a letter or a digit: the bars of a table are no words. */
const WORD = /\S*[\p{L}\p{N}]\S*/gu;

const commits = process.argv.slice(2);
const states = [...commits.map(atCommit), { name: "working tree", ...measure(process.cwd()) }];
const rows = Object.keys(states[0].counts).map((what) => [what, ...states.map(({ counts }) => counts[what])]);
const added = states.map(({ names }, at) =>
  [...names].filter((name) => !(states[at - 1] ?? { names }).names.has(name)),
);
rows.push(["public names new", ...added.map(({ length }) => length)]);
for (const row of [["", ...states.map(({ name }) => name)], ...rows])
  console.log(
    row.map((cell, at) => (at === 0 ? String(cell).padEnd(24) : String(cell).padStart(14))).join(""),
  );

/** Measures the files of a commit, which are put into a folder for it. */
function atCommit(commit) {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-count-"));
  try {
    const archive = execFileSync("git", ["archive", commit, "src", "test", "docs", "package.json"], {
      maxBuffer: 1e9,
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return { name: commit, ...measure(folder) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(root) {
  const all = ["src", "test"].flatMap((folder) => sourcesIn(root, folder));
  const parsed = all.map((path) => [path, parse(join(root, path))]);
  const inside = (folder) => parsed.filter(([path]) => path.startsWith(`${folder}/`));
  const sum = (folder, count) => inside(folder).reduce((total, [path, file]) => total + count(file, path), 0);
  const paths = new Set(all);
  const arrows = (file, path) => importsOf(file, path).filter((target) => paths.has(target)).length;
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = publicNames(root);
  const counts = {
    "src files": inside("src").length,
    "src lines": sum("src", linesOf),
    "src lines of code": sum("src", codeLinesOf),
    "src exports": sum("src", exportsOf),
    "src imports of src": sum("src", arrows),
    "test files": inside("test").length,
    "test lines of code": sum("test", codeLinesOf),
    "words of docs": wordsOf(root, pagesOf(root)),
    "words by hand": wordsOf(
      root,
      pagesOf(root).filter((page) => !MADE.has(page)),
    ),
    "public names": names.size,
    scripts: Object.keys(scripts).length,
  };
  return { counts, names };
}

function sourcesIn(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|cjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"));
}

function parse(path) {
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
}

function linesOf(file) {
  return file.text.split("\n").length - 1;
}

/** Lines on which there is something else than a comment. */
function codeLinesOf(file) {
  const lines = new Set();
  const lineAt = (position) => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    const children = node.getChildren(file);
    if (ts.isJSDoc(node)) return;
    if (children.length > 0) for (const child of children) visit(child);
    else if (node.getWidth(file) > 0)
      for (let line = lineAt(node.getStart(file)); line <= lineAt(node.getEnd()); line++) lines.add(line);
  };
  visit(file);
  return lines.size;
}

/** Statements that are exported; a list of names that is passed on counts each name. */
function exportsOf(file) {
  const counts = file.statements.map((statement) => {
    if (ts.isExportDeclaration(statement)) return statement.exportClause?.elements?.length ?? 1;
    return (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      ? 1
      : 0;
  });
  return counts.reduce((total, count) => total + count, 0);
}

function importsOf(file, path) {
  return file.statements
    .flatMap(({ moduleSpecifier }) => (moduleSpecifier === undefined ? [] : [moduleSpecifier.text]))
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));
}

function pagesOf(root) {
  return readdirSync(join(root, "docs"), { recursive: true }).filter(
    (page) => page.endsWith(".md") && !page.startsWith("site"),
  );
}

function wordsOf(root, pages) {
  return pages.reduce(
    (sum, page) => sum + (readFileSync(join(root, "docs", page), "utf8").match(WORD)?.length ?? 0),
    0,
  );
}

/** Names that an entry of the package exports, from the recorded declarations. */
function publicNames(root) {
  const folder = join(root, "test/package/api");
  const declared =
    /^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type|namespace) ([\w$]+)/gm;
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(declared)].map(([, name]) => name)));
}
