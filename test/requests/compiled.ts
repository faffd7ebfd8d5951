import ts from "typescript";
import { compileVirtual, fileIn } from "../support/typescript-program.ts";

/** Sources that are compiled together against `src/`, by name. */
export type Compiled = Readonly<{
  checker: ts.TypeChecker;
  /** The type that a source exports under a name. */
  typeOf: (source: string, name: string) => ts.Type;
  /** The compiler's diagnostics of a source: the text that an editor underlines, and the message. */
  messagesOf: (source: string) => readonly string[];
}>;

/** Compiles sources as modules of a strict project; one program for all of them. */
export function compileAll(sources: Readonly<Record<string, string>>): Compiled {
  const pathOf = (name: string): string => `test/${name}.ts`;
  const files = new Map(Object.entries(sources).map(([name, text]) => [pathOf(name), text]));
  const { program, problemsOf } = compileVirtual(files, { types: [] });
  const checker = program.getTypeChecker();
  return {
    checker,
    typeOf(source, name) {
      const module = checker.getSymbolAtLocation(fileIn(program, pathOf(source)));
      const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
      if (symbol === undefined) throw new Error(`no type ${name}`);
      return checker.getDeclaredTypeOfSymbol(symbol);
    },
    messagesOf(source) {
      const { text } = fileIn(program, pathOf(source));
      return problemsOf(pathOf(source)).map(({ messageText, start = 0, length = 0 }) => {
        const underlined = text.slice(start, start + length);
        return `${underlined}\n${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
      });
    },
  };
}

/** The values that a property may have: its literals, or "string", "number" or "boolean" of another type. */
export function valuesOf(checker: ts.TypeChecker, type: ts.Type): readonly unknown[] {
  const members = type.isUnion() ? type.types : [type];
  return members.flatMap((member): readonly unknown[] => {
    if (member.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) return [];
    if (member.isStringLiteral() || member.isNumberLiteral()) return [member.value];
    const text = checker.typeToString(member);
    return [text === "true" || text === "false" ? text === "true" : { any: text }];
  });
}
