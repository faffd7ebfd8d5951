import ts from "typescript";
import { descendants } from "../style/source-file.ts";

const printer = ts.createPrinter({ removeComments: true });

/** Returns the declarations of an export without comments; of a namespace, those of its members. */
function declarationOf(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const namespaceOf = (module: ts.Symbol | undefined): string =>
    `export namespace ${name} {\n${exportsOf(module, checker).join("\n")}\n}`;
  return (symbol.declarations ?? [])
    .map((node) => {
      if (ts.isSourceFile(node)) return namespaceOf(symbol);
      if (ts.isNamespaceExport(node)) {
        return namespaceOf(checker.getSymbolAtLocation(node.parent.moduleSpecifier as ts.Node));
      }
      const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
      return printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
    })
    .join("\n");
}

function exportsOf(module: ts.Symbol | undefined, checker: ts.TypeChecker): readonly string[] {
  if (module === undefined) throw new Error("not a module");
  const found = checker.getExportsOfModule(module).map((member): readonly [string, ts.Symbol] => {
    const isAlias = (member.flags & ts.SymbolFlags.Alias) !== 0;
    return [member.name, isAlias ? checker.getAliasedSymbol(member) : member];
  });
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, member]) => declarationOf(name, member, checker));
}

/** Returns the exported names and signatures of each declaration file: a text for each, sorted by name. */
export function apiOf(files: readonly string[]): readonly string[] {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    noLib: true,
  });
  const checker = program.getTypeChecker();
  return files.map((path) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.Node);
    return `${exportsOf(module, checker).join("\n")}\n`;
  });
}

/** Names of object shapes in an API text that are no interfaces, and of members of interfaces that are not readonly. */
export function looseShapes(text: string): readonly string[] {
  const file = ts.createSourceFile("api.ts", text, ts.ScriptTarget.ES2022, true);
  return [...descendants(file)].flatMap((node) => {
    if (ts.isTypeAliasDeclaration(node)) return isShape(node.type) ? [node.name.text] : [];
    if (!ts.isInterfaceDeclaration(node)) return [];
    return node.members.filter(isWritable).map((member) => `${node.name.text}.${member.name?.getText()}`);
  });
}

/** Whether a type is one object: a literal, `Readonly` of one, or an intersection with one and without alternatives. */
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
