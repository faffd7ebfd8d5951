import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CheckStatus } from "@stryker-mutator/api/check";
import ts from "typescript";

/**
 * Finds the mutants that the TypeScript compiler refuses, and `npm run typecheck` with it: nobody can ship them. It looks
 * for errors in the file of the mutant only. One that shows in another file alone is tested like those without.
 */
export class TypeChecker {
  #service;
  #texts = new Map();
  #versions = new Map();
  #files = new Map();

  async init() {
    const root = process.cwd();
    const { config } = ts.readConfigFile(resolve("tsconfig.json"), ts.sys.readFile);
    // A name that a mutant leaves without a use is no fault of types.
    const compilerOptions = { ...config.compilerOptions, noUnusedLocals: false, noUnusedParameters: false };
    const include = ["src"];
    const parsed = ts.parseJsonConfigFileContent({ compilerOptions, include }, ts.sys, root);
    this.#service = ts.createLanguageService({
      ...ts.sys,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getCompilationSettings: () => parsed.options,
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      getScriptFileNames: () => parsed.fileNames,
      getScriptSnapshot: (file) => this.#snapshotOf(file),
      getScriptVersion: (file) => String(this.#versions.get(file) ?? 0),
    });
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultOf(mutant)]));
  }

  #resultOf({ fileName, location, replacement }) {
    const text = readFileSync(fileName, "utf8");
    const parsed = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest);
    const [start, end] = [location.start, location.end].map(({ line, column }) =>
      parsed.getPositionOfLineAndCharacter(line, column),
    );
    const reason = this.#errorIn(fileName, text.slice(0, start) + replacement + text.slice(end));
    return reason === undefined
      ? { status: CheckStatus.Passed }
      : { status: CheckStatus.CompileError, reason };
  }

  /** Returns the first error of a file with another text, if there is one. */
  #errorIn(file, text) {
    this.#put(file, text);
    try {
      const [error] = [
        ...this.#service.getSyntacticDiagnostics(file),
        ...this.#service.getSemanticDiagnostics(file),
      ];
      return error && `TS${error.code}: ${ts.flattenDiagnosticMessageText(error.messageText, " ")}`;
    } finally {
      this.#put(file, undefined);
    }
  }

  #put(file, text) {
    if (text === undefined) this.#texts.delete(file);
    else this.#texts.set(file, text);
    this.#versions.set(file, (this.#versions.get(file) ?? 0) + 1);
  }

  #snapshotOf(file) {
    const text = this.#texts.get(file);
    if (text !== undefined) return ts.ScriptSnapshot.fromString(text);
    let snapshot = this.#files.get(file);
    if (snapshot === undefined && ts.sys.fileExists(file)) {
      snapshot = ts.ScriptSnapshot.fromString(ts.sys.readFile(file) ?? "");
      this.#files.set(file, snapshot);
    }
    return snapshot;
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "types", injectableClass: TypeChecker }];
