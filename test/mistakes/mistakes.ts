import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createMemoryHost,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
  type MemoryHost,
} from "../../src/adapters/memory/index.ts";
import { createNodeServer } from "../../src/adapters/node/index.ts";
import { loadSocketDriver } from "../../src/adapters/node/socket-server.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { type Engine, openEngine } from "../../src/engine/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { sign, signBody, signQuery } from "../../src/signing/index.ts";

type Fields = Readonly<Record<string, unknown>>;

const SYMBOL = "BTC/USD";
const [API_KEY, SECRET] = ["key", "secret"];
const LIMIT = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "60000" };
const ON = { settings: { advancedOrders: true } };
const TIME = 1_760_000_000_000;

const venue = {
  capabilities: { honoursDeadline: true, canVoid: false },
  submit: () => new Promise<never>(() => undefined),
  lookup: async () => "not-found" as const,
  subscribe: () => () => undefined,
};

const hostOf = (): MemoryHost => createMemoryHost({ symbols: [SYMBOL] });

/** Opens an engine on a new host in memory. */
const open = (options: Fields = ON): Promise<Engine> =>
  openEngine({ ...hostOf(), venue, ...options } as never);

/** Places an order as a program in JavaScript may write it. */
const place = (engine: Engine, order: Fields = LIMIT, accountId = 1): Promise<unknown> =>
  engine.place({ accountId, order } as never);

async function serviceOf(options: Fields = ON): Promise<Service> {
  const host = hostOf();
  const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
  const key = { apiKey: API_KEY, secret: SECRET, userId: 1, accountId: 1, ipAllowlist: [] };
  host.accounts.put({ account, keys: [{ ...key, permissions: ["READ", "TRADE"] }] });
  const engine = await openEngine({ ...host, venue, ...options } as never);
  const rateLimiter = createMemoryRateLimiter({ clock: host.clock, enforce: false });
  return createService({ ...host, engine, rateLimiter });
}

/** Sends an order by REST, and resolves to the answer as a client sees it. */
async function post(
  fields: Fields,
  { query = `timestamp=${TIME}`, secret = SECRET, ...options }: Fields = ON,
): Promise<string> {
  const { handle } = await serviceOf({ ...ON, ...options });
  const { body, signature } = signBody({
    secret: String(secret),
    query: String(query),
    parameters: fields as never,
  });
  const { status, body: answer } = await handle({
    ...{ method: "POST", target: `/api/order?${query}`, remoteAddress: "127.0.0.1" },
    rawHeaders: ["X-MBX-APIKEY", API_KEY, "signature", signature, "Content-Type", "application/json"],
    body: new TextEncoder().encode(body),
  });
  return `${status} ${answer}`;
}

async function inFolder<T>(run: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "mistakes-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function portInUse(): Promise<unknown> {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  const { port } = blocker.address() as AddressInfo;
  try {
    return await createNodeServer({ service: await serviceOf() }).listen({ host: "127.0.0.1", port });
  } catch (error) {
    throw new Error(String((error as Error).message).replaceAll(String(port), "8080"));
  } finally {
    blocker.close();
  }
}

/** Typical mistakes: what a person does, in the words of the list of texts. */
export const MISTAKES: Readonly<Record<string, () => unknown>> = {
  "a number for a decimal, in process": async () => place(await open(), { ...LIMIT, quantity: 0.5 }),
  "a number for a decimal, over REST": () => post({ ...LIMIT, quantity: 1, price: "60000,5" }),
  "a misspelt field, in process": async () => place(await open(), { ...LIMIT, prise: "60000" }),
  "a misspelt field, over REST": () => post({ ...LIMIT, prise: "60000" }),
  "a number for a decimal in a setting": () => open({ settings: { minimumNotional: 15 } }),
  "a misspelt setting": () => open({ settings: { advanceOrders: true } }),
  "a setting beside the settings": () => open({ advancedOrders: true }),
  "settings.advancedOrders forgotten, in process": async () => place(await open({})),
  "settings.advancedOrders forgotten, over REST": () => post(LIMIT, { settings: {} }),
  "an account that the host does not know": async () => place(await open(), LIMIT, 7),
  "a symbol that the host does not know": async () => place(await open(), { ...LIMIT, symbol: "XYZ/USD" }),
  "a call after close": async () => {
    const engine = await open();
    await engine.close();
    return place(engine);
  },
  "two engines on one store": async () => {
    const host = hostOf();
    const first = await openEngine({ ...host, venue, ...ON });
    await openEngine({ ...host, store: createMemoryStore({ disk: host.disk }), venue, ...ON });
    await place(first).catch(() => undefined);
    await first.idle();
    return place(first);
  },
  "no venue": () => open({ venue: undefined }),
  "a venue without lookup": () => open({ venue: { ...venue, lookup: undefined } }),
  "an engine that is not awaited": () => {
    const [host, engine] = [hostOf(), open()];
    const rateLimiter = createMemoryRateLimiter({ clock: host.clock });
    return createService({ ...host, rateLimiter, engine: engine as never });
  },
  "a text for the options": () => createMemoryHost("BTC/USD" as never),
  "an instrument with a minimum as a number": () => {
    const names = { symbol: SYMBOL, aliases: [], baseAsset: "BTC", quoteAsset: "USD", name: "Bitcoin" };
    const kinds = { id: 1, kind: "liquidity", status: "TRADING", minimumNotional: 15 };
    return createMemoryInstruments([{ ...names, ...kinds } as never]);
  },
  "seconds in a setting of milliseconds": () => open({ settings: { hostTimeoutMs: 0.5 } }),
  "seconds in a timestamp, over REST": () => post(LIMIT, { query: "timestamp=1760000000" }),
  "the secret of another key, over REST": () => post(LIMIT, { secret: "another" }),
  "an empty secret": () => sign({ secret: "", payload: "symbol=BTC/USD" }),
  "a misspelt option of a signature": () => signQuery({ secret: SECRET, params: {} } as never),
  "a port in use": portInUse,
  "a store in a folder's place": () =>
    inFolder((folder) => {
      mkdirSync(join(folder, "orders.db"));
      return openSqliteStore({ path: join(folder, "orders.db") });
    }),
  "a store that is open already": () =>
    inFolder(async (folder) => {
      const options = { path: join(folder, "orders.db"), exclusive: true, busyTimeoutMs: 0 };
      const first = openSqliteStore(options);
      try {
        return openSqliteStore(options);
      } finally {
        await first.close();
      }
    }),
  "the package ws is not installed": () =>
    loadSocketDriver(() => {
      throw new Error("Cannot find module 'ws'");
    }),
};

/** Makes a mistake, and resolves to what the person reads. */
export async function readAfter(mistake: () => unknown): Promise<string> {
  try {
    const result = await mistake();
    return typeof result === "string" ? result : "(nothing: the call succeeds)";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
