import { mkdirSync, readFileSync } from "node:fs";
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

const read = (path: string): string => readFileSync(path, "utf8");

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

/** Whether a comment of documentation ends right before the line of a place. */
const isExplained = ({ file, line }: Place): boolean =>
  (read(file).split("\n")[line - 2] ?? "").endsWith("*/");

/** Whether a place of the package explains and declares the name. A namespace may lead to its module. */
const isDeclaredAt = (places: readonly Place[], { name, isNamespace }: (typeof names)[number]): boolean =>
  places.every(({ file }) => file.startsWith(join(consumer.installed, "dist/"))) &&
  places.some((place) => isNamespace || (textAt(place).startsWith(name) && isExplained(place)));

describe("what a developer is led to in the packed package", () => {
  it.each(["mjs", "cjs"])("a stack trace of %s leads to the line that throws", (form) => {
    const load = form === "mjs" ? 'await import("managed-orders")' : 'require("managed-orders")';
    const printed = consumer.run(
      `throws.${form}`,
      `const { Price } = ${load};
      try { Price.parse(1.5); } catch (error) { console.log(error.stack); }`,
    );
    const [, path = "", line = 0] = /at .*?requireText \((?:file:\/\/)?(.*?):(\d+):/.exec(printed) ?? [];
    expect(read(path).split("\n")[Number(line) - 1], printed).toContain("throw new TypeError");
  });

  it("an editor leads from every import to its declaration and comment, in ESM, CommonJS and the old resolution", async () => {
    const files = Object.keys(FORMS) as (keyof typeof FORMS)[];
    const places = await definitionsOf(files.flatMap(importAll));
    const wanted = files.flatMap((file) => names.map((name) => ({ file, ...name })));
    expect(wanted.filter((name, index) => !isDeclaredAt(places[index] ?? [], name))).toEqual([]);
  });
});
