import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, node, root } from "./consumer.ts";

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer();
});

afterAll(() => {
  consumer.remove();
});

describe("the packed package", () => {
  it("holds the built files and the texts beside them, nothing else", () => {
    const { stdout } = spawnSync("tar", ["-tzf", consumer.tarball], { encoding: "utf8" });
    const strangers = stdout
      .trim()
      .split("\n")
      .filter(
        (path) => !/^package\/(dist\/.*\.(js|cjs|d\.ts|d\.cts)|[A-Z]+\.md|LICENSE|package\.json)$/.test(path),
      );
    expect(strangers).toEqual([]);
  });

  it("publint has nothing to say", async () => {
    const { messages, pkg } = await publint({ pkgDir: consumer.installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("every subpath resolves to the right types from ESM, CommonJS and bundlers (attw)", () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { status, output } = node(root, [attw, consumer.tarball, "--profile", "node16", "--no-emoji"]);
    expect(status, output).toBe(0);
  });
});
