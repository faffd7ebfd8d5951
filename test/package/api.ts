import ts from "typescript";
import { descendants } from "../style/source-file.ts";
import { type Export, exportsOf } from "./exports.ts";

const printer = ts.createPrinter({ removeComments: true });

/** Returns the declarations of an export without comments; of a namespace, those of its members. */
function declarationOf({ name, declarations, members }: Export): string {
  return declarations
    .map((node) => {
      if (ts.isSourceFile(node) || ts.isNamespaceExport(node)) {
        return `export namespace ${name} {\n${members.map(declarationOf).join("\n")}\n}`;
      }
      const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
      return printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
    })
    .join("\n");
}

/** Returns the exported names and signatures of each declaration file: a text for each, sorted by name. */
export function apiOf(files: readonly string[]): readonly string[] {
  return exportsOf(files).map((found) => `${found.map(declarationOf).join("\n")}\n`);
}

/**
 * Names of object shapes in an API text that are not interfaces, and of members of interfaces that are not readonly.
 */
export function looseShapes(text: string): readonly string[] {
  const file = ts.createSourceFile("api.ts", text, ts.ScriptTarget.ES2022, true);
  return [...descendants(file)].flatMap((node) => {
    if (ts.isTypeAliasDeclaration(node)) return isShape(node.type) ? [node.name.text] : [];
    if (!ts.isInterfaceDeclaration(node)) return [];
    return node.members.filter(isWritable).map((member) => `${node.name.text}.${member.name?.getText()}`);
  });
}

/**
 * Whether a type is a single object: a literal, `Readonly` of one, or an intersection with one and without
 * alternatives.
 */
function isShape(type: ts.TypeNode): boolean {
  if (ts.isTypeReferenceNode(type)) {
    const [of] = type.typeName.getText() === "Readonly" ? (type.typeArguments ?? []) : [];
    return of !== undefined && isShape(of);
  }
  if (ts.isIntersectionTypeNode(type)) {
    const hasChoice = type.types.some((part) => ts.isParenthesizedTypeNode(part));
    return !hasChoice && type.types.some(isShape);
  }
  return ts.isTypeLiteralNode(type);
}

const isWritable = (member: ts.TypeElement): boolean =>
  ts.isPropertySignature(member) &&
  member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) !== true;
