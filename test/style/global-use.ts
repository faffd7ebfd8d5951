import ts from "typescript";
import { descendants, type SourceFile } from "./source-file.ts";

const globalObjects = new Set(["globalThis", "window", "self", "global"]);

/** Whether the identifier names a member, a declaration, an import or a type instead of a value. */
function namesSomethingElse(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent)) return true;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent)) return true;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  if (ts.isBindingElement(parent)) return parent.initializer !== node;
  return "name" in parent && parent.name === node;
}

/**
 * The global that a node uses as a value, as the source would spell it: `setTimeout` for `setTimeout(…)`, for
 * `globalThis.setTimeout` and for `{ setTimeout }`; `undefined` for members, declarations and types of that name.
 */
export function globalUse(node: ts.Node): string | undefined {
  if (!ts.isIdentifier(node)) return undefined;
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    const owner = parent.expression;
    return ts.isIdentifier(owner) && globalObjects.has(owner.text) ? node.text : undefined;
  }
  return namesSomethingElse(node) ? undefined : node.text;
}

/** Every use of one of the globals. */
export function usesOf(file: SourceFile, names: readonly string[]): readonly ts.Identifier[] {
  return [...descendants(file.ast)].filter((node): node is ts.Identifier =>
    names.includes(globalUse(node) ?? ""),
  );
}

/** Every use of a member such as `Date.now` or `JSON.parse` of a global. */
export function memberUsesOf(file: SourceFile, name: string): readonly ts.Node[] {
  const [owner, member] = name.split(".");
  return [...descendants(file.ast)].filter((node) => {
    if (globalUse(node) !== owner) return false;
    const holder =
      ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node;
    const access = holder.parent;
    if (ts.isPropertyAccessExpression(access))
      return access.expression === holder && access.name.text === member;
    if (ts.isElementAccessExpression(access)) return access.expression === holder;
    return ts.isVariableDeclaration(access) && ts.isObjectBindingPattern(access.name);
  });
}
