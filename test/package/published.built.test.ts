import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadLinks } from "../docs/links.ts";
import { pages } from "../examples/markdown.ts";
import { Consumer, entryPoints, root } from "./consumer.ts";

/** Limits of the tarball and of the installed package, in kB, and of its files. */
const BUDGET = { tarballKb: 1_700, installedKb: 6_200, files: 650 } as const;

/** Paths that the package may contain. */
const BELONGS = [
  /^dist\/.*\.(js|cjs|d\.ts|d\.cts)$/,
  /^dist\/sandbox\/console\.json$/,
  /^docs\/((decisions\/)?[a-zA-Z-]+\.md|signature-vectors\.json|venue-http\.json)$/,
  /^examples\/([a-z-]+\/)?[a-zA-Z-]+\.(ts|mjs|txt|md|html|css)$/,
  /^(README\.md|CHANGELOG\.md|LICENSE|package\.json)$/,
];

let consumer: Consumer;
let files: readonly string[];

beforeAll(() => {
  consumer = new Consumer();
  files = readdirSync(consumer.installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(consumer.installed.length + 1));
});

afterAll(() => {
  consumer.remove();
});

describe("the packed package", () => {
  it("contains the build, the pages and the examples, and nothing else", () => {
    const strangers = files.filter((path) => !BELONGS.some((pattern) => pattern.test(path)));
    expect(strangers).toEqual([]);
  });

  it("contains every page, and every link of a page leads to a file and a heading in it", () => {
    const dead = pages.flatMap((page) =>
      deadLinks(join(consumer.installed, page)).map((link) => `${page} ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it("stays below its size limits, packed and installed", () => {
    const tarball = statSync(consumer.tarball).size / 1_000;
    const installed =
      files.reduce((sum, path) => sum + statSync(join(consumer.installed, path)).size, 0) / 1_000;
    console.log(
      `tarball ${tarball.toFixed(0)} kB, installed ${installed.toFixed(0)} kB, ${files.length} files`,
    );
    expect(tarball).toBeLessThan(BUDGET.tarballKb);
    expect(installed).toBeLessThan(BUDGET.installedKb);
    expect(files.length).toBeLessThan(BUDGET.files);
  });

  it("each file of types belongs to one source, and an ES module has those of an entry point too", () => {
    const sourceOf = (path: string): string =>
      path.replace("dist/", `${root}src/`).replace(/\.d\.cts$/, ".ts");
    const types = files.filter((path) => path.endsWith(".d.cts"));
    expect(types.filter((path) => !existsSync(sourceOf(path)))).toEqual([]);
    const forms = files.filter((path) => path.endsWith(".d.ts"));
    expect(forms.sort()).toEqual(entryPoints.map(({ types }) => join(types)).sort());
  });

  it("no file has a comment or a map, but for marks of pure calls", () => {
    const scripts = files.filter((path) => /\.c?js$/.test(path));
    const commented = scripts.filter((path) =>
      /^ *(\/\/|\/\*(?! @__PURE__))/m.test(readFileSync(join(consumer.installed, path), "utf8")),
    );
    expect([scripts.length > 100, commented]).toEqual([true, []]);
  });

  it("publint reports nothing", async () => {
    const { messages, pkg } = await publint({ pkgDir: consumer.installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });
});
