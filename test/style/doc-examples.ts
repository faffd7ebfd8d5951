import ts from "typescript";
import type { Export } from "../package/exports.ts";
import { compileVirtual } from "../support/typescript-program.ts";
import { descendants, lineOf, type SourceFile } from "./source-file.ts";

/** A fenced block of a doc comment: its place, its code, and the output that its `console.log` comments state. */
export type DocExample = Readonly<{ name: string; code: string; prints: readonly string[] }>;

const fence = /```ts\n([\s\S]*?)```/g;
const printed = /^.*\bconsole\.log\(.*?\/\/ (.+)$/gm;

function exampleTags(file: SourceFile): readonly ts.JSDocTag[] {
  const docs = [...descendants(file.ast)].flatMap((node) =>
    ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc),
  );
  return [...new Set(docs)].flatMap((doc) =>
    (doc.tags ?? []).filter((tag) => tag.tagName.text === "example"),
  );
}

/** Returns every fenced example of the doc comments of a source, in the order of the text. */
export function docExamples(file: SourceFile): readonly DocExample[] {
  return exampleTags(file).flatMap((tag) => {
    const text = ts.getTextOfJSDocComment(tag.comment) ?? "";
    return [...text.matchAll(fence)].map((block, index) => {
      const code = block[1] ?? "";
      const prints = [...code.matchAll(printed)].map((line) => line[1] ?? "");
      return { name: `${file.path}:${lineOf(file, tag.getStart(file.ast)) + index}`, code, prints };
    });
  });
}

const hasExample = (declaration: ts.Declaration): boolean =>
  ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === "example");

/** Returns the functions and classes without an example, those of namespaces as `Price.parse`. */
export function withoutExample(exports: readonly Export[], prefix = ""): readonly string[] {
  return exports.flatMap(({ name, declarations, isCallable, members }) => [
    ...(isCallable && !declarations.some(hasExample) ? [prefix + name] : []),
    ...withoutExample(members, `${prefix}${name}.`),
  ]);
}

/** Compiles every example as a separate module against the sources; returns the problems by the example's name. */
export function compile(examples: readonly DocExample[]): readonly string[] {
  const pathOf = (index: number): string => `examples/doc-${index}.ts`;
  const files = new Map(examples.map(({ code }, index) => [pathOf(index), `${code}\nexport {};\n`]));
  const { problemsOf } = compileVirtual(files, examplesMayLeaveUnused);
  return examples.flatMap(({ name }, index) =>
    problemsOf(pathOf(index)).map(
      ({ messageText }) => `${name} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    ),
  );
}

const examplesMayLeaveUnused: ts.CompilerOptions = { noUnusedLocals: false, isolatedDeclarations: false };
