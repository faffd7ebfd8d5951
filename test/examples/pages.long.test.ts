import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../src/adapters/memory/index.ts";
import { type Client, createClient, localChecks, type NewManagedOrder } from "../../src/client/index.ts";
import type { EngineOptions } from "../../src/engine/index.ts";
import { compile, type DocExample } from "../style/doc-examples.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS } from "../support/world.ts";
import { examplesOf, pages } from "./markdown.ts";

const examples = pages.flatMap(examplesOf);
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "managed-orders-pages-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Loads an example as a separate module, against the sources. */
async function load<T>(example: DocExample): Promise<T> {
  const file = join(folder, `${example.name.replace(/\W/g, "-")}.ts`);
  writeFileSync(file, example.code);
  return (await import(file)) as T;
}

/** Returns the only example of a page that contains the text. */
function exampleWith(page: string, text: string): DocExample {
  const [found, ...more] = examplesOf(page).filter(({ code }) => code.includes(text));
  if (found === undefined || more.length > 0) throw new Error(`${page} has no single block with ${text}`);
  return found;
}

describe("TypeScript blocks of the pages", () => {
  it("compile against the sources", () => {
    expect(compile(examples)).toEqual([]);
  });

  for (const example of examples.filter(({ prints }) => prints.length > 0)) {
    it(`${example.name} prints the output that it states`, async () => {
      const log = vi.spyOn(console, "log").mockImplementation(() => {});
      await load(example);
      expect(log.mock.calls.map((values) => format(...values))).toEqual(example.prints);
    });
  }
});

type Backend = {
  start: (
    yours: Pick<EngineOptions, "instruments" | "accounts" | "exposure" | "venue">,
    options: Readonly<{ path: string; port: number; page: () => void }>,
  ) => Promise<Readonly<{ api: string; stop: () => Promise<void> }>>;
};
type App = {
  place: (client: Client, order: NewManagedOrder) => Promise<string>;
};

it("the function of docs/client.md places an order at the backend of docs/embed.md, and refuses an invalid one without a request", async () => {
  const { start } = await load<Backend>(exampleWith("docs/embed.md", "function start("));
  const { place } = await load<App>(exampleWith("docs/client.md", "function place("));
  const key = { apiKey: "readme-key", secret: "readme-secret" };
  const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
  const accounts = createMemoryAccounts([
    { account, keys: [{ ...key, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }] },
  ]);
  const { api, stop } = await start(
    {
      instruments: createMemoryInstruments(INSTRUMENTS),
      accounts,
      exposure: createMemoryExposure(),
      venue: createScriptedVenue(),
    },
    { path: join(folder, "readme.db"), port: 0, page: () => undefined },
  );
  const order = {
    symbol: "BTC/USD",
    side: "SELL",
    type: "STOP_LOSS",
    quantity: "0.5",
    newClientOrderId: "a1",
  } as const;
  const client = createClient({ baseUrl: api.replace(/\/api$/, ""), ...key, checks: localChecks });
  const orderId = await place(client, { ...order, stopPrice: "59500" });
  expect(await client.order({ symbol: "BTC/USD", orderId })).toMatchObject({
    clientOrderId: "a1",
    type: "STOP_MARKET",
    status: "NEW",
    apiState: "WAITING",
  });
  const refused = place(client, { ...order, stopPrice: "1" });
  await expect(refused).rejects.toMatchObject({ name: "RefusedError", code: -1013, sent: false });
  await stop();
});
