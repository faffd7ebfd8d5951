import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, node, root, subpaths } from "./consumer.ts";

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer();
});

afterAll(() => {
  consumer.remove();
});

const packed = (): readonly string[] => {
  const { stdout } = spawnSync("tar", ["-tzf", consumer.tarball], { encoding: "utf8" });
  return stdout.trim().split("\n");
};

describe("the packed package", () => {
  it("holds the built files and the texts beside them, nothing else", () => {
    const strangers = packed().filter(
      (path) => !/^package\/(dist\/.*\.(js|cjs|d\.ts|d\.cts)|[A-Z]+\.md|LICENSE|package\.json)$/.test(path),
    );
    expect(strangers).toEqual([]);
  });

  it("decision JC: each file of types is of one source, and has its form for CommonJS beside it", () => {
    const files = new Set(packed());
    const types = [...files].filter((path) => path.endsWith(".d.ts"));
    const alone = types.filter(
      (path) =>
        !files.has(path.replace(/\.d\.ts$/, ".d.cts")) ||
        !existsSync(path.replace("package/dist/", `${root}src/`).replace(/\.d\.ts$/, ".ts")),
    );
    expect([types.length > subpaths.length, alone]).toEqual([true, []]);
  });

  it("publint has nothing to say", async () => {
    const { messages, pkg } = await publint({ pkgDir: consumer.installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("every subpath resolves to the right types from ESM, CommonJS and bundlers (attw)", () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { status, output } = node(root, [attw, consumer.tarball, "--no-emoji"]);
    expect(status, output).toBe(0);
  });
});
