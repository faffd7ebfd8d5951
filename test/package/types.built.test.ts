import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, node, type Outcome, root, subpaths } from "./consumer.ts";

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer(["@types/node"]);
});

afterAll(() => {
  consumer.remove();
});

/** Compiles files of the consumer; also checks the package's own types and those that they reference. */
function compile(files: readonly string[], options: Readonly<Record<string, unknown>>): Outcome {
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
  consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
  return node(consumer.folder, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."]);
}

const used = (names: readonly string[]): string =>
  `export const used: unknown[] = [${names.map((_, index) => `s${index}`)}];\n`;

describe("the types of the packed package", () => {
  it("compile in ESM and in CommonJS for every subpath", () => {
    const imports = subpaths.map((name, index) => `import * as s${index} from "${name}";\n`);
    const requires = subpaths.map((name, index) => `import s${index} = require("${name}");\n`);
    consumer.write("all.mts", imports.join("") + used(subpaths));
    consumer.write("all.cts", requires.join("") + used(subpaths));
    const outcome = compile(["all.mts", "all.cts"], {
      target: "ES2022",
      module: "NodeNext",
      types: ["node"],
    });
    expect(outcome).toEqual({ status: 0, output: "" });
  });

  it("decision JC: compile for every subpath with the old resolution, which does not read `exports`", () => {
    const imports = subpaths.map((name, index) => `import * as s${index} from "${name}";\n`);
    consumer.write("old.ts", imports.join("") + used(subpaths));
    const outcome = compile(["old.ts"], {
      target: "ES2022",
      module: "CommonJS",
      moduleResolution: "node10",
      types: ["node"],
    });
    expect(outcome).toEqual({ status: 0, output: "" });
  });

  it("compile in a browser project without Node's types", () => {
    const names = ["managed-orders", "managed-orders/rules", "managed-orders/signing"];
    const imports = names.map((name, index) => `import * as s${index} from "${name}";\n`);
    consumer.write("page.ts", imports.join("") + used(names));
    const outcome = compile(["page.ts"], {
      target: "ES2022",
      lib: ["ES2022", "DOM"],
      module: "ESNext",
      moduleResolution: "Bundler",
      types: [],
    });
    expect(outcome).toEqual({ status: 0, output: "" });
  });
});
