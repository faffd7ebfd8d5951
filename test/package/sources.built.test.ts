import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, entryPoints, root } from "./consumer.ts";
import { definitionsOf, type Place } from "./editor.ts";
import { exportsOf } from "./exports.ts";

/** Files of users, by the way in which they resolve the package. */
const FORMS = {
  "esm/page.mts": { module: "NodeNext" },
  "cjs/page.cts": { module: "NodeNext" },
  "old/page.ts": { module: "CommonJS", moduleResolution: "node10" },
} as const;

const exported = exportsOf(entryPoints.map(({ types }) => root + types));

/** Every name that the package exports, with the name of its entry point. */
const names = entryPoints.flatMap(({ name: from }, index) =>
  (exported[index] ?? []).map(({ name, members }) => ({ name, from, isNamespace: members.length > 0 })),
);

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer();
});

afterAll(() => {
  consumer.remove();
});

/** Built files of the installed package, below dist/. */
const built = (): readonly string[] =>
  readdirSync(join(consumer.installed, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(js|cjs|d\.ts|d\.cts)$/.test(path),
  );

type SourceMap = Readonly<{ file?: string; sources: readonly string[]; sourcesContent?: unknown }>;

const read = (path: string): string => readFileSync(path, "utf8");

/** Returns the faults in the map of a built file. */
function faultsOf(path: string): readonly string[] {
  const file = join(consumer.installed, "dist", path);
  const named = /^\/\/# sourceMappingURL=(.*)$/m.exec(read(file))?.[1];
  if (named === undefined) return [`${path} names no map`];
  const map = JSON.parse(read(join(dirname(file), named))) as SourceMap;
  // The hashes are built in: CommonJS cannot load them from their package.
  const own = map.sources.filter((source) => !source.includes("node_modules/@noble/hashes/"));
  const lost = own.filter((source) => !existsSync(join(dirname(file), source)));
  return [
    ...lost.map((source) => `${path} is of ${source}, which is not in the package`),
    ...(map.sourcesContent === undefined ? [] : [`${path} has its sources twice`]),
    ...(join(dirname(file), map.file ?? "") === file ? [] : [`${path} has the map of ${map.file}`]),
  ];
}

/** Writes a separate project whose file imports every name, one per line; returns the place of each name. */
function importAll(path: keyof typeof FORMS): readonly Place[] {
  mkdirSync(join(consumer.folder, dirname(path)));
  const compilerOptions = { strict: true, target: "ES2022", noLib: true, types: [], ...FORMS[path] };
  consumer.write(
    `${dirname(path)}/tsconfig.json`,
    JSON.stringify({ compilerOptions, files: [basename(path)] }),
  );
  const lines = names.map(({ name, from }) => `export { ${name} } from "${from}";\n`);
  const file = consumer.write(path, lines.join(""));
  return names.map((_, index) => ({ file, line: index + 1, offset: "export { ".length + 1 }));
}

const textAt = ({ file, line, offset }: Place): string =>
  (read(file).split("\n")[line - 1] ?? "").slice(offset - 1);

/** Whether all places are in the sources, and one of them has the name. A namespace may lead to its module. */
function isDeclaredAt(places: readonly Place[], { name, isNamespace }: (typeof names)[number]): boolean {
  const sources = join(consumer.installed, "src/");
  return (
    places.every(({ file }) => file.startsWith(sources)) &&
    places.some((place) => isNamespace || textAt(place).startsWith(name))
  );
}

describe("the sources in the packed package", () => {
  it("each built file has a map, and each map names sources that are in the package", () => {
    expect(built().length).toBeGreaterThan(100);
    expect(built().flatMap(faultsOf)).toEqual([]);
  });

  it.each(["mjs", "cjs"])("a stack trace of %s shows the line of the source", (form) => {
    const load = form === "mjs" ? 'await import("managed-orders")' : 'require("managed-orders")';
    const printed = consumer.run(
      `throws.${form}`,
      `process.setSourceMapsEnabled(true);
      const { Price } = ${load};
      try { Price.parse(1.5); } catch (error) { console.log(error.stack); }`,
    );
    const [, path = "", line = 0] = /\((.*?managed-orders\/src\/[^:]*):(\d+):/.exec(printed) ?? [];
    expect(path.replace(consumer.installed, ""), printed).toMatch(/^\/src\/decimal\//);
    expect(read(path).split("\n")[Number(line) - 1]).toContain("throw new TypeError");
  });

  it("an editor leads from every import to its source, in ESM, CommonJS and the old resolution", async () => {
    const files = Object.keys(FORMS) as (keyof typeof FORMS)[];
    const places = await definitionsOf(files.flatMap(importAll));
    const wanted = files.flatMap((file) => names.map((name) => ({ file, ...name })));
    expect(wanted.filter((name, index) => !isDeclaredAt(places[index] ?? [], name))).toEqual([]);
  });
});
