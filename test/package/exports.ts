import ts from "typescript";

/** An export of a module; a namespace has `members`. */
export type Export = Readonly<{
  name: string;
  declarations: readonly ts.Declaration[];
  /** Whether a program can call it or construct an object with it. */
  isCallable: boolean;
  members: readonly Export[];
}>;

/** Returns the exports of each file, sorted by name. The library is not loaded. */
export function exportsOf(files: readonly string[]): readonly (readonly Export[])[] {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    noLib: true,
  });
  const checker = program.getTypeChecker();
  return files.map((path) =>
    membersOf(checker.getSymbolAtLocation(program.getSourceFile(path) as ts.Node), checker),
  );
}

function membersOf(module: ts.Symbol | undefined, checker: ts.TypeChecker): readonly Export[] {
  if (module === undefined) throw new Error("not a module");
  const found = checker.getExportsOfModule(module).map((symbol) => exportOf(symbol, checker));
  return [...found].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function exportOf(exported: ts.Symbol, checker: ts.TypeChecker): Export {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const declarations = symbol.declarations ?? [];
  const namespaces = declarations.map((node) => namespaceOf(node, symbol, checker));
  return {
    name: exported.name,
    declarations,
    isCallable: !isTypeOnly(exported) && isCallable(symbol, checker),
    members: namespaces.flatMap((module) => (module === undefined ? [] : membersOf(module, checker))),
  };
}

/** Returns the module of `export * as Name from ...`. */
function namespaceOf(
  node: ts.Declaration,
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
): ts.Symbol | undefined {
  if (ts.isSourceFile(node)) return symbol;
  if (!ts.isNamespaceExport(node)) return undefined;
  return checker.getSymbolAtLocation(node.parent.moduleSpecifier as ts.Node);
}

const isTypeOnly = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some(ts.isTypeOnlyExportDeclaration);

function isCallable(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined) return false;
  if (ts.isClassDeclaration(declaration)) return true;
  return checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
}
