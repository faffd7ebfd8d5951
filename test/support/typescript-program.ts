import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Sources that exist only in memory, compiled in one program. */
export type VirtualProgram = Readonly<{
  program: ts.Program;
  /** The compiler's problems with one of the sources. */
  problemsOf: (path: string) => readonly ts.Diagnostic[];
}>;

/**
 * Compiles sources with the options of this project. Their names are paths relative to its root, so that they can import
 * its files.
 */
export function compileVirtual(
  sources: ReadonlyMap<string, string>,
  overrides: ts.CompilerOptions = {},
): VirtualProgram {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options: own } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const options = { ...own, ...overrides };
  const files = new Map([...sources].map(([name, text]) => [root + name, text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, language) => {
    const text = files.get(path);
    return text === undefined
      ? getSourceFile(path, language)
      : ts.createSourceFile(path, text, language, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return {
    program,
    problemsOf: (path) => {
      const file = program.getSourceFile(root + path);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    },
  };
}

/** Returns a file of a program. */
export function fileIn(program: ts.Program, path: string): ts.SourceFile {
  const file = program.getSourceFile(root + path);
  if (file === undefined) throw new Error(`no source ${path}`);
  return file;
}
