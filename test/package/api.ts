import ts from "typescript";

const printer = ts.createPrinter({ removeComments: true });

/** Returns the declarations of a symbol without comments; of a namespace, those of its members. */
function declarationOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return (symbol.declarations ?? [])
    .map((node) => {
      if (ts.isNamespaceExport(node)) {
        const members = exportsOf(
          checker.getSymbolAtLocation(node.parent.moduleSpecifier as ts.Node),
          checker,
        );
        return `export namespace ${node.name.text} {\n${members.join("\n")}\n}`;
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
  return sorted.map(([, member]) => declarationOf(member, checker));
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
