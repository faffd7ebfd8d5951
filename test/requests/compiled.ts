import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Sources that are compiled together against `src/`, by name. */
export type Compiled = Readonly<{
  checker: ts.TypeChecker;
  /** The type that a source exports under a name. */
  typeOf: (source: string, name: string) => ts.Type;
  /** What the compiler says about a source: the text that an editor underlines, and the message. */
  messagesOf: (source: string) => readonly string[];
}>;

/** Compiles sources as modules of a strict project; one program for all of them. */
export function compileAll(sources: Readonly<Record<string, string>>): Compiled {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const files = new Map(Object.entries(sources).map(([name, text]) => [`${root}test/${name}.ts`, text]));
  const host = ts.createCompilerHost({ ...options, types: [] });
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, language) => {
    const text = files.get(path);
    return text === undefined
      ? getSourceFile(path, language)
      : ts.createSourceFile(path, text, language, true);
  };
  const program = ts.createProgram([...files.keys()], { ...options, types: [] }, host);
  const checker = program.getTypeChecker();
  const fileOf = (name: string): ts.SourceFile => {
    const file = program.getSourceFile(`${root}test/${name}.ts`);
    if (file === undefined) throw new Error(`no source ${name}`);
    return file;
  };
  return {
    checker,
    typeOf(source, name) {
      const module = checker.getSymbolAtLocation(fileOf(source));
      const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
      if (symbol === undefined) throw new Error(`no type ${name}`);
      return checker.getDeclaredTypeOfSymbol(symbol);
    },
    messagesOf(source) {
      const file = fileOf(source);
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return found.map(({ messageText, start = 0, length = 0 }) => {
        const underlined = file.text.slice(start, start + length);
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
