import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../examples/markdown.ts";
import { exportsOf } from "../package/exports.ts";
import { compile, type DocExample, docExamples, withoutExample } from "./doc-examples.ts";
import { parseSource, readSources } from "./source-file.ts";

const examples = readSources().flatMap(docExamples);
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "managed-orders-examples-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs an example against the sources; returns its output, line by line. */
async function run(example: DocExample): Promise<readonly string[]> {
  const file = join(folder, `${example.name.replace(/\W/g, "-")}.ts`);
  writeFileSync(file, example.code);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(file);
  return log.mock.calls.map((values) => format(...values));
}

describe("examples in doc comments", () => {
  it("compile against the sources", () => {
    expect(compile(examples)).toEqual([]);
  });

  it("every exported function and class has one", () => {
    const entryPoints = manifest.typedocOptions.entryPoints;
    const exports = exportsOf(entryPoints.map((path) => root + path));
    expect(exports.flatMap((found, index) => withoutExample(found, `${entryPoints[index]} `))).toEqual([]);
  });

  it("are reported missing on a function, a class and a member of a namespace, not on a type", () => {
    const space = join(folder, "space.ts");
    writeFileSync(
      space,
      "export const inner = (): number => 1;\n/** @example 1 */\nexport function told() {}\n",
    );
    const texts = [
      'export * as Space from "./space.ts";',
      "export class Room {}",
      "export function open() {}",
      "export interface Door { open(): void }",
      "export const size = 1;",
    ];
    const file = join(folder, "entry.ts");
    writeFileSync(file, texts.join("\n"));
    expect(exportsOf([file]).map((found) => withoutExample(found))).toEqual([
      ["Room", "Space.inner", "open"],
    ]);
  });

  for (const example of examples.filter(({ prints }) => prints.length > 0)) {
    it(`${example.name} prints the output that it states`, async () => {
      expect(await run(example)).toEqual(example.prints);
    });
  }

  it("are found with their output, and a wrong one does not compile", () => {
    const text = [
      "/**",
      " * One.",
      " *",
      " * @example",
      " * ```ts",
      ' * import { nowhere } from "managed-orders";',
      " * console.log(1 + 1); // 2",
      " * ```",
      " */",
      "export const one = 1;",
    ];
    const found = docExamples(parseSource("engine/a.ts", text.join("\n")));
    expect(found.map(({ prints }) => prints)).toEqual([["2"]]);
    expect(compile(found).join()).toContain("nowhere");
  });
});
