/**
 * Emits the types of the package into dist/: for each source with a declaration that an entry point in package.json exports
 * or needs, one `.d.cts` with these declarations and their comments. An ES module may import CommonJS, so the `.d.ts` of an
 * entry point exports its `.d.cts`: programs of both forms have the same types.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** Declarations of the entry points: dist/engine/index.d.cts. */
const entries = Object.values(manifest.exports).flatMap(({ require: cjs }) =>
  cjs ? [join(root, cjs.types)] : [],
);

/** Relative imports in a declaration: `from "./price.ts"`, `import("../model/index.ts")`. */
const RELATIVE = /(\bfrom |\bimport\()"(\.{1,2}\/[^"]+)\.ts"/g;

/** Returns the declarations of all sources that the entry points import, by the paths of their `.d.cts`. */
function emitted() {
  const sources = entries.map((path) =>
    path.replace(`${root}dist/`, `${root}src/`).replace(/\.d\.cts$/, ".ts"),
  );
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: sources }, ts.sys, root);
  const emit = { noEmit: false, emitDeclarationOnly: true, rootDir: `${root}src`, outDir: `${root}dist` };
  const texts = new Map();
  const { diagnostics } = ts
    .createProgram(sources, { ...options, ...emit })
    .emit(undefined, (path, text) =>
      texts.set(path.replace(/\.d\.ts$/, ".d.cts"), text.replace(RELATIVE, '$1"$2.cjs"')),
    );
  if (diagnostics.length > 0)
    throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, "\n"));
  return texts;
}

/** Returns the program of some texts, without the library. */
function programOf(texts) {
  const node16 = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };
  const options = { ...node16, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => texts.has(path);
  host.readFile = (path) => texts.get(path);
  host.directoryExists = undefined;
  return ts.createProgram(entries, options, host);
}

/** Whether a declaration gives a name to what another one declares. */
const isAlias = (node) =>
  ts.isImportSpecifier(node) ||
  ts.isExportSpecifier(node) ||
  ts.isNamespaceImport(node) ||
  ts.isNamespaceExport(node);

function statementOf(node) {
  for (let at = node; ; at = at.parent) if (ts.isSourceFile(at.parent)) return at;
}

/** Returns the statements, and the names in imports and exports, that the exports of the entry points need. */
function needed(program) {
  const checker = program.getTypeChecker();
  const nodes = new Set();
  const symbols = new Set(entries.map((path) => checker.getSymbolAtLocation(program.getSourceFile(path))));
  const visit = (node) => {
    if (ts.isIdentifier(node)) symbols.add(checker.getSymbolAtLocation(node));
    ts.forEachChild(node, visit);
  };
  const take = (node, symbol) => {
    const statement = statementOf(node);
    if (isAlias(node)) symbols.add(checker.getImmediateAliasedSymbol(symbol));
    const part = isAlias(node) ? node : statement;
    if (!nodes.has(part)) visit(part);
    nodes.add(part).add(statement);
  };
  // A set also yields what is added meanwhile.
  for (const symbol of symbols)
    for (const node of symbol?.declarations ?? [])
      if (!ts.isSourceFile(node)) take(node, symbol);
      else for (const exported of checker.getExportsOfModule(symbol)) symbols.add(exported);
  return nodes;
}

/** Returns the text of a statement, with only the needed names if it imports or exports some. */
function textOf(statement, nodes) {
  const text = statement.getFullText();
  const names = statement.importClause?.namedBindings ?? statement.exportClause;
  const all = names?.elements;
  const kept = all?.filter((name) => nodes.has(name)).map((name) => name.getText());
  if (all === undefined || all.length === kept.length) return text;
  const start = statement.getFullStart();
  return `${text.slice(0, names.getStart() - start)}{ ${kept.join(", ")} }${text.slice(names.end - start)}`;
}

/** Whether a statement only says that its file is a module. */
const isMark = (statement) => statement.exportClause?.elements?.length === 0;

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const texts = emitted();
const program = programOf(texts);
const nodes = needed(program);
// The package root is last: `test/program.mjs` compares its types with the sources.
for (const { fileName, statements } of program.getSourceFiles().toReversed()) {
  if (!statements.some((statement) => nodes.has(statement))) continue;
  const kept = statements.filter((statement) => nodes.has(statement) || isMark(statement));
  if (entries.includes(fileName))
    write(fileName.replace(/\.d\.cts$/, ".d.ts"), `export * from "./index.cjs";\n`);
  write(
    fileName,
    `${kept
      .map((statement) => textOf(statement, nodes))
      .join("")
      .trimStart()}\n`,
  );
}
