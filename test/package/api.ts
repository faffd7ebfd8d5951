import ts from "typescript";

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
