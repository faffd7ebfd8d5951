import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A source with its path below src/ and its syntax tree. */
export type SourceFile = Readonly<{ path: string; text: string; ast: ts.SourceFile }>;

/** The folder of the sources, ending in a slash. */
export const sourceRoot: string = fileURLToPath(new URL("../../src/", import.meta.url));

/** Parses a text as the source at `path`. */
export function parseSource(path: string, text: string): SourceFile {
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) };
}

/** Path below a folder, src/ by default, and text of every TypeScript source in it, by path. */
export function readSourceTexts(
  root: string = sourceRoot,
): readonly Readonly<{ path: string; text: string }>[] {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  return paths
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => ({ path, text: readFileSync(root + path, "utf8") }));
}

/** Every TypeScript source of a folder, src/ by default, by path. */
export const readSources = (root?: string): readonly SourceFile[] =>
  readSourceTexts(root).map(({ path, text }) => parseSource(path, text));

/** Every node below `node`, in the order of the text. */
export function* descendants(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) {
    yield child;
    yield* descendants(child);
  }
}

/** Line of a position, from 1. */
export function lineOf(file: SourceFile, position: number): number {
  return file.ast.getLineAndCharacterOfPosition(position).line + 1;
}

/** Lines of a node without its leading comments. */
export function linesOf(file: SourceFile, node: ts.Node): number {
  return lineOf(file, node.getEnd()) - lineOf(file, node.getStart(file.ast)) + 1;
}

/** Lines of the file. */
export function lengthOf(file: SourceFile): number {
  return file.text.replace(/\n$/, "").split("\n").length;
}

/** Every function of the file that has a body in braces. */
export function functionsOf(file: SourceFile): readonly ts.FunctionLikeDeclaration[] {
  return [...descendants(file.ast)].filter(
    (node): node is ts.FunctionLikeDeclaration =>
      ts.isFunctionLike(node) &&
      "body" in node &&
      node.body !== undefined &&
      ts.isBlock(node.body as ts.Node),
  );
}
