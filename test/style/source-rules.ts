import ts from "typescript";
import { memberUsesOf, usesOf } from "./global-use.ts";
import { descendants, functionsOf, lengthOf, lineOf, linesOf, type SourceFile } from "./source-file.ts";

/** Longest file and longest function, in lines. */
export const LIMITS: Readonly<{ file: number; function: number }> = { file: 500, function: 70 };

/** Files outside decimal/ that turn text into numbers, each with its reason; none of these numbers is money. */
export const numberReaders: Readonly<Record<string, string>> = {
  "requests/parameters.ts": "whole numbers whose text matched its grammar: times, ids, counts",
  "sandbox/console/numbers.ts": "where a price is on a chart, which becomes pixels",
};

/** One broken rule at one line. */
export type Finding = Readonly<{ rule: string; path: string; line: number; what: string }>;

/** A rule of the sources: its text, the files to which it applies, and the places that break it. */
export type SourceRule = Readonly<{
  name: string;
  says: string;
  holds?: (path: string) => boolean;
  breaches: (file: SourceFile) => readonly Breach[];
}>;

type Breach = ts.Node | Readonly<{ line: number; what: string }>;

/**
 * The shell: what runs on one platform, sweeps, whose threads run in real time, the waits of the suite of mounts, which
 * talks to a server over sockets, the time limits of connections to a database, the pause between two writes of a rate
 * limiter, and the one file with the defaults of the client's platform.
 */
const inShell = (path: string): boolean =>
  /^(adapters\/node|cluster\/peers|sandbox|simulator\/sweep)\//.test(path) ||
  [
    ...["client/settings.ts", "conformance/mount/world.ts"],
    ...["adapters/postgres/connection.ts", "store/after-ms.ts"],
  ].includes(path);
const outsideShell = (path: string): boolean => !inShell(path);
const isIndex = (path: string): boolean => /(^|\/)index\.ts$/.test(path);
const leaves = /^(client|cluster\/peers|simulator|conformance|adapters|sandbox)\//;

/** The part of a path that counts as one folder of the ordered list. */
const folderOf = (path: string): string => /^(adapters\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? "";

const resolve = (from: string, specifier: string): string =>
  new URL(specifier, `file:///${from}`).pathname.slice(1);

function matches(pattern: RegExp): (file: SourceFile) => readonly Breach[] {
  return (file) =>
    [...file.text.matchAll(pattern)].map((found) => ({
      line: lineOf(file, found.index),
      what: found[0].trim(),
    }));
}

function nodes(test: (node: ts.Node) => boolean): (file: SourceFile) => readonly Breach[] {
  return (file) => [...descendants(file.ast)].filter(test);
}

/** Whether a spread passes on the arguments of a function around it, which are as many as somebody wrote. */
function isOwnRest({ expression, parent }: ts.SpreadElement): boolean {
  if (!ts.isIdentifier(expression)) return false;
  for (let around: ts.Node | undefined = parent; around !== undefined; around = around.parent) {
    if (!ts.isFunctionLike(around)) continue;
    const rest = around.parameters.find(({ dotDotDotToken }) => dotDotDotToken !== undefined);
    if (rest !== undefined && ts.isIdentifier(rest.name) && rest.name.text === expression.text) return true;
  }
  return false;
}

/** Specifiers of imports, re-exports and dynamic imports. */
function specifiersOf(file: SourceFile): readonly ts.StringLiteral[] {
  return [...descendants(file.ast)].flatMap((node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      return node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)
        ? [node.moduleSpecifier]
        : [];
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      return ts.isStringLiteral(node.argument.literal) ? [node.argument.literal] : [];
    }
    const first =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : undefined;
    return first !== undefined && ts.isStringLiteral(first) ? [first] : [];
  });
}

function isTimeless(file: SourceFile): readonly Breach[] {
  const now = [...descendants(file.ast)].filter(
    (node) =>
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "Date" &&
      (node.arguments?.length ?? 0) === 0,
  );
  return [...now, ...memberUsesOf(file, "Date.now"), ...usesOf(file, ["performance"])];
}

/**
 * `Number` and `parseInt` as functions and the plus sign; `parseInt` with a radix reads whole numbers and is allowed.
 */
function numberCalls(file: SourceFile): readonly Breach[] {
  const isConstant = (node: ts.Node): boolean =>
    ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node;
  const hasRadix = (node: ts.Node): boolean =>
    ts.isCallExpression(node.parent) && node.parent.expression === node && node.parent.arguments.length === 2;
  const signs = [...descendants(file.ast)].filter(
    (node) =>
      ts.isPrefixUnaryExpression(node) &&
      node.operator === ts.SyntaxKind.PlusToken &&
      !ts.isNumericLiteral(node.operand),
  );
  const parsers = [
    ...usesOf(file, ["parseInt"]),
    ...memberUsesOf(file, "Number.parseInt").map((node) => node.parent),
  ];
  return [
    ...usesOf(file, ["Number"]).filter((node) => !isConstant(node)),
    ...parsers.filter((node) => !hasRadix(node)),
    ...signs,
  ];
}

/** Each import condition of the package, and the one folder that uses it. */
const HOMES: Readonly<Record<string, string>> = { "#hmac": "signing", "#socket": "client" };

function foreignImports(file: SourceFile): readonly Breach[] {
  const folder = folderOf(file.path);
  return specifiersOf(file).filter(({ text }) => {
    if (/^managed-orders(\/|$)/.test(text)) return true;
    if (text.startsWith("#")) return HOMES[text] !== folder;
    if (!text.startsWith(".")) return false;
    const target = resolve(file.path, text);
    if (!target.endsWith(".ts")) return true;
    return folderOf(target) !== folder && !isFace(target);
  });
}

/**
 * Entrances of a folder beside its index: a part with an index of its own, so that a bundle without it stays small, and
 * exports that an entry point of the package does not show.
 */
const APART: readonly string[] = [
  ...[
    "requests/schemas/index.ts",
    "ports/internal.ts",
    "cluster/internal.ts",
    "engine/internal.ts",
    "adapters/node/internal.ts",
    "adapters/postgres/internal.ts",
    "adapters/sqlite/internal.ts",
    "adapters/venue-http/internal.ts",
    "service/internal.ts",
    "signing/internal.ts",
    "store/internal.ts",
  ],
];

const isFace = (path: string): boolean => path === `${folderOf(path)}/index.ts` || APART.includes(path);

function undocumented(file: SourceFile): readonly Breach[] {
  const exported = file.ast.statements.filter(
    (node) =>
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword),
  );
  const seen = new Set<string>();
  return exported.filter((node) => {
    const name = ts.isFunctionDeclaration(node) ? (node.name?.text ?? "") : "";
    const overload = name !== "" && seen.has(name);
    seen.add(name);
    return !overload && !ts.getJSDocCommentsAndTags(node).some(ts.isJSDoc);
  });
}

/** `declare global` is no namespace: it adds a type of the platform. */
const isNamespace = (node: ts.Node): boolean =>
  ts.isModuleDeclaration(node) && (node.flags & ts.NodeFlags.GlobalAugmentation) === 0;

const isExportDefault = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) ||
  (ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword) ?? false));

/** The rules of the sources; `source-rules.test.ts` proves that each finds a violation. */
export const sourceRules: readonly SourceRule[] = [
  {
    name: "clock",
    says: "time comes in as an argument or through the clock port",
    holds: outsideShell,
    breaches: isTimeless,
  },
  {
    name: "chance",
    says: "randomness comes through the entropy port",
    holds: outsideShell,
    breaches: (file) => [...memberUsesOf(file, "Math.random"), ...usesOf(file, ["crypto"])],
  },
  {
    name: "timers",
    says: "timers belong to the clock port",
    holds: outsideShell,
    breaches: (file) => usesOf(file, ["setTimeout", "setInterval", "setImmediate", "requestAnimationFrame"]),
  },
  {
    name: "turns",
    says: "the core does not reorder its own work",
    holds: (path) => !leaves.test(path),
    breaches: (file) => usesOf(file, ["queueMicrotask"]),
  },
  {
    name: "process",
    says: "the process and its environment belong to the host",
    holds: outsideShell,
    breaches: (file) => usesOf(file, ["process", "Bun", "Deno"]),
  },
  {
    name: "console",
    says: "events are reported through the telemetry port",
    // This file holds the telemetry that writes lines. A browser has no other output for errors than the console.
    holds: (path) => outsideShell(path) && path !== "adapters/shared/line-telemetry.ts",
    breaches: (file) => usesOf(file, ["console"]),
  },
  {
    name: "json",
    says: "JSON is read by wire/, which keeps integers exact and refuses duplicates",
    holds: (path) => !/^(wire|sandbox)\//.test(path),
    breaches: (file) => memberUsesOf(file, "JSON.parse"),
  },
  {
    name: "url",
    says: "URL and URLSearchParams rewrite signed bytes",
    holds: (path) => !leaves.test(path),
    breaches: (file) => usesOf(file, ["URL", "URLSearchParams"]),
  },
  {
    name: "float",
    says: "no decimal goes through parseFloat",
    breaches: (file) => [...usesOf(file, ["parseFloat"]), ...memberUsesOf(file, "Number.parseFloat")],
  },
  {
    name: "number",
    says: "text becomes a number in decimal/, in the files named in `numberReaders`, or by parseInt with a radix",
    holds: (path) => !path.startsWith("decimal/") && !(path in numberReaders),
    breaches: numberCalls,
  },
  {
    name: "any",
    says: "no value has the type any",
    breaches: nodes((node) => node.kind === ts.SyntaxKind.AnyKeyword),
  },
  {
    name: "suppression",
    says: "no check is disabled by a comment",
    breaches: matches(
      /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|(c8|v8|istanbul) ignore/g,
    ),
  },
  {
    name: "spread",
    says: "arguments are not spread, except those of the function itself: a long list of them overflows the stack",
    holds: (path) => !/^(sandbox|simulator)\//.test(path),
    breaches: nodes(
      (node) =>
        ts.isSpreadElement(node) &&
        (ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent)) &&
        !isOwnRest(node),
    ),
  },
  {
    name: "unfinished",
    says: "no unfinished work is marked in comments",
    breaches: matches(/\b(TODO|FIXME|XXX|HACK)\b/g),
  },
  {
    name: "syntax",
    says: "no enum, no namespace, no default export, `export *` in the package's root only",
    breaches: (file) =>
      [...descendants(file.ast)].filter(
        (node) =>
          ts.isEnumDeclaration(node) ||
          isNamespace(node) ||
          isExportDefault(node) ||
          (ts.isExportDeclaration(node) && node.exportClause === undefined && file.path !== "index.ts"),
      ),
  },
  {
    name: "imports",
    says: "another folder is imported through its index.ts, by relative path with extension",
    breaches: foreignImports,
  },
  {
    name: "zod",
    says: "zod is imported as a namespace, so that a bundler drops its unused parts",
    breaches: nodes(
      (node) =>
        ts.isImportClause(node) &&
        ts.isStringLiteral(node.parent.moduleSpecifier) &&
        node.parent.moduleSpecifier.text === "zod" &&
        !(node.namedBindings !== undefined && ts.isNamespaceImport(node.namedBindings)),
    ),
  },
  {
    name: "index",
    says: "index.ts holds re-exports only",
    holds: isIndex,
    breaches: (file) =>
      file.ast.statements.filter((node) => !(ts.isExportDeclaration(node) && node.moduleSpecifier)),
  },
  {
    name: "documented",
    says: "every export has a doc comment",
    holds: (path) => !isIndex(path),
    breaches: undocumented,
  },
  {
    name: "file-length",
    says: `a file has at most ${LIMITS.file} lines`,
    breaches: (file) => (lengthOf(file) > LIMITS.file ? [{ line: 1, what: `${lengthOf(file)} lines` }] : []),
  },
  {
    name: "function-length",
    says: `a function has at most ${LIMITS.function} lines`,
    breaches: (file) => functionsOf(file).filter((node) => linesOf(file, node) > LIMITS.function),
  },
];

const isNode = (breach: Breach): breach is ts.Node => "kind" in breach;

/** Every broken rule of one file, each once per line. */
export function check(file: SourceFile): readonly Finding[] {
  const lines = file.text.split("\n");
  return sourceRules
    .filter((rule) => rule.holds?.(file.path) ?? true)
    .flatMap((rule) => {
      const found = rule.breaches(file).map((breach): [number, string] => {
        const line = isNode(breach) ? lineOf(file, breach.getStart(file.ast)) : breach.line;
        return [line, isNode(breach) ? (lines[line - 1] ?? "").trim() : breach.what];
      });
      return [...new Map(found)].map(([line, what]) => ({ rule: rule.name, path: file.path, line, what }));
    });
}
