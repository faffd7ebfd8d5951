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

/** Returns the tables of their file that some declarations refer to by `typeof`, and those that these refer to. */
function tablesOf(nodes: readonly ts.Node[]): readonly ts.VariableDeclaration[] {
  const found = new Set<ts.VariableDeclaration>();
  const visit = (node: ts.Node): void => {
    for (const { exprName } of [...descendants(node)].filter(ts.isTypeQueryNode)) {
      const inFile = [...descendants(node.getSourceFile())].filter(ts.isVariableDeclaration);
      const table = inFile.find(({ name }) => name.getText() === exprName.getText().split(".")[0]);
      if (table === undefined || found.has(table)) continue;
      found.add(table);
      visit(table);
    }
  };
  nodes.forEach(visit);
  return [...found].sort((a, b) => (a.name.getText() < b.name.getText() ? -1 : 1));
}

/**
 * Returns the exported names and signatures of each declaration file: a text for each, sorted by name, and after them
 * the tables from which types of replies and events follow.
 */
export function apiOf(files: readonly string[]): readonly string[] {
  return exportsOf(files).map((found) => {
    const tables = tablesOf(found.flatMap(({ declarations }) => declarations)).map((node) =>
      printer.printNode(ts.EmitHint.Unspecified, node.parent.parent, node.getSourceFile()),
    );
    return `${[...found.map(declarationOf), ...tables].join("\n")}\n`;
  });
}

/** Names of object shapes in API texts that are no interfaces, and of members of interfaces that are not readonly. */
export function looseShapes(text: string): readonly string[] {
  const nodes = [...descendants(ts.createSourceFile("api.ts", text, ts.ScriptTarget.ES2022, true))];
  const interfaces = nodes.filter(ts.isInterfaceDeclaration);
  const aliases = nodes.filter(ts.isTypeAliasDeclaration);
  const isNamed = (part: ts.TypeNode): boolean =>
    interfaces.some(({ name }) => name.text === part.getText()) ||
    aliases.some(({ name, type }) => name.text === part.getText() && isShape(type, isNamed));
  const members = interfaces.flatMap((node) =>
    node.members.filter(isWritable).map((member) => `${node.name.text}.${member.name?.getText()}`),
  );
  const shapes = aliases.filter(({ type }) => isShape(type, isNamed)).map(({ name }) => name.text);
  return [...new Set([...shapes, ...members])].sort();
}

/** Whether a type is one object: a literal, `Readonly` of one, or an intersection of those and of named objects. */
function isShape(type: ts.TypeNode, isNamed: (part: ts.TypeNode) => boolean): boolean {
  if (ts.isIntersectionTypeNode(type)) {
    return type.types.every((part) => isShape(part, isNamed) || isNamed(part));
  }
  if (!ts.isTypeReferenceNode(type)) return ts.isTypeLiteralNode(type);
  const [of] = type.typeName.getText() === "Readonly" ? (type.typeArguments ?? []) : [];
  return of !== undefined && isShape(of, isNamed);
}

const isWritable = (member: ts.TypeElement): boolean =>
  ts.isPropertySignature(member) &&
  member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) !== true;
