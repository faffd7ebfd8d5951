import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, root, subpaths } from "./consumer.ts";

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer(["@types/node"]);
});

afterAll(() => {
  consumer.remove();
});

/** Declarations of the language and of Node.js. They are not this package's, and checking them takes most of the time. */
const PLATFORM = [join(root, "node_modules/typescript/"), join(root, "node_modules/@types/node/")];

/**
 * Returns the compiler's problems with files of the consumer, with the package's own types and with those of its
 * dependencies.
 */
function compile(files: readonly string[], given: Readonly<Record<string, unknown>>): readonly string[] {
  const { folder } = consumer;
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
  const config = { compilerOptions: { ...strict, ...given }, files };
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  const checked = program
    .getSourceFiles()
    .filter(({ fileName }) => !PLATFORM.some((platform) => fileName.startsWith(platform)));
  const problems = checked.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  const all = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...problems];
  return all.map((problem) => ts.formatDiagnostic(problem, FORMAT));
}

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => consumer.folder,
  getNewLine: () => "\n",
};

const used = (names: readonly string[]): string =>
  `export const used: unknown[] = [${names.map((_, index) => `s${index}`)}];\n`;

/** A program with an engine of its own. */
const ENGINE = `
import { Price } from "managed-orders";
import { type EngineOptions, openEngine } from "managed-orders/engine";

export async function trade(options: EngineOptions, tell: (line: string) => void): Promise<void> {
  await using engine = await openEngine(options);
  const stop = engine.events.on("fill", ({ clientOrderId, fill }) => tell(clientOrderId + Price.format(fill.price)));
  engine.events.once("ended", ({ status }) => tell(status));
  await engine.account(1).cancelAll();
  stop();
}
`;

/** A program of a client. */
const CLIENT = `
import { createClient, type FetchLike, followOrders } from "managed-orders/client";
import { sign } from "managed-orders/signing";

export async function follow(access: { baseUrl: string; apiKey: string; secret: string }, fetch: FetchLike): Promise<string> {
  const client = createClient({ ...access, fetch: (url, request) => fetch(url, request) });
  const { orderId } = await client.placeNativeOrder({ symbol: "BTC/USD", side: "SELL", type: "MARKET", quantity: "1" });
  for await (const event of followOrders(access))
    if (event.kind === "order" && event.order.orderId === orderId) return event.order.status;
  return sign({ secret: access.secret, payload: orderId });
}
`;

/** What is added to the first for a server and a file. */
const DESK = `
import type { ExecutionVenue } from "managed-orders/ports";
import { createNodeServer } from "managed-orders/node";
import type { Service } from "managed-orders/service";
import { openSqliteStore } from "managed-orders/sqlite";

export const submit: ExecutionVenue["submit"] = async ({ childId }, { deadlineMs, signal }) => {
  await fetch("http://venue.example.com?until=" + deadlineMs, { signal });
  return { childId, state: "open", fills: [] };
};

export async function serve(service: Service): Promise<void> {
  await using store = openSqliteStore({ path: "orders.db" });
  await using server = createNodeServer({ service });
  await server.listen({ host: "127.0.0.1", port: (await store.acquire()).length });
}
`;

describe("the types of the packed package", () => {
  it("compile in ESM and in CommonJS for every subpath", () => {
    const imports = subpaths.map((name, index) => `import * as s${index} from "${name}";\n`);
    const requires = subpaths.map((name, index) => `import s${index} = require("${name}");\n`);
    consumer.write("all.mts", imports.join("") + used(subpaths));
    consumer.write("all.cts", requires.join("") + used(subpaths));
    const problems = compile(["all.mts", "all.cts"], {
      target: "ES2022",
      module: "NodeNext",
      types: ["node"],
    });
    expect(problems).toEqual([]);
  });

  it("compile for every subpath with the old resolution, which does not read `exports`", () => {
    const imports = subpaths.map((name, index) => `import * as s${index} from "${name}";\n`);
    consumer.write("old.ts", imports.join("") + used(subpaths));
    const problems = compile(["old.ts"], {
      target: "ES2022",
      module: "CommonJS",
      moduleResolution: "node10",
      types: ["node"],
    });
    expect(problems).toEqual([]);
  });

  const STRICT = { target: "ES2022", lib: ["ES2023"] };

  it.each([
    ["node16", "desk.mts", { module: "Node16", moduleResolution: "Node16", types: ["node"] }],
    ["bundler", "desk.ts", { module: "ESNext", moduleResolution: "Bundler", types: ["node"] }],
    ["node10", "desk.ts", { module: "CommonJS", moduleResolution: "node10", types: ["node"] }],
    [
      "bundler and no types of Node.js",
      "engine.ts",
      { module: "ESNext", moduleResolution: "Bundler", types: [] },
    ],
  ])("`await using` compiles with lib ES2023: %s", (_, name, options) => {
    consumer.write(name, name === "engine.ts" ? ENGINE : ENGINE + DESK);
    expect(compile([name], { ...STRICT, ...options })).toEqual([]);
  });

  it.each([
    ["node16", { module: "Node16", moduleResolution: "Node16" }],
    ["bundler", { module: "ESNext", moduleResolution: "Bundler" }],
    ["node10", { module: "CommonJS", moduleResolution: "node10" }],
  ])("a client compiles with lib ES2023 and no types of a platform: %s", (name, options) => {
    consumer.write(`client-${name}.ts`, CLIENT);
    const problems = compile([`client-${name}.ts`], { ...STRICT, ...options, types: [] });
    expect(problems).toEqual([]);
  });

  it("compile in a browser project without Node's types", () => {
    const names = ["managed-orders", "managed-orders/rules", "managed-orders/signing"];
    const imports = names.map((name, index) => `import * as s${index} from "${name}";\n`);
    consumer.write("page.ts", imports.join("") + used(names));
    const problems = compile(["page.ts"], {
      target: "ES2022",
      lib: ["ES2022", "DOM"],
      module: "ESNext",
      moduleResolution: "Bundler",
      types: [],
    });
    expect(problems).toEqual([]);
  });
});
