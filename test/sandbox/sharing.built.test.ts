import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { readSettings, readVenueSettings } from "../../src/sandbox/settings.ts";
import { startVenue } from "../../src/sandbox/venue-process.ts";
import { type PGliteServer, startPGlite } from "../adapters/postgres/pglite-server.ts";
import { type Reply, signedBy } from "../support/sandbox-process.ts";
import { standardError } from "../support/standard-error.ts";

standardError();

let server: PGliteServer;

beforeAll(async () => {
  server = await startPGlite();
  return () => server.close();
});

/** Long enough that no lease lapses on a busy machine, and that no shard moves for evenness before a test ends. */
const TTL_MS = 10_000;

const VENUE_SECRET = "a secret of venue and sandboxes";
const DEMO = { apiKey: "demo-key", secret: "demo-secret" };

/** Returns a function that starts a sandbox on a schema and a venue of its own, which all of them share. */
async function cluster(schema: string): Promise<() => Promise<Sandbox>> {
  const ports = { PORT: "auto", CONTROL_PORT: "auto" };
  const own = { VENUE_SECRET, VENUE_RECORD: "memory:", MARKET: "manual" };
  const venue = await startVenue(readVenueSettings({ env: { ...ports, ...own }, argv: [] }));
  onTestFinished(() => venue.stop());
  const env = {
    ...{ ...ports, VENUE: venue.url, VENUE_SECRET, VENUE_CONTROL: venue.controlUrl ?? "" },
    ...{ STORE: `${server.url}?schema=${schema}`, SHARES: "true", LEASE_TTL_MS: String(TTL_MS) },
    ...{ PEER_PORT: "auto", PEER_PLAIN: "true", PEER_SECRET: "a secret of all sandboxes" },
    ...{ SANDBOX_API_KEY: DEMO.apiKey, SANDBOX_API_SECRET: DEMO.secret },
  };
  return async () => {
    const sandbox = await startSandbox(readSettings({ env, argv: [] }));
    onTestFinished(() => sandbox.stop().catch(() => undefined));
    return sandbox;
  };
}

type Health = Readonly<{ state: string; shards: number }>;

const healthOf = async ({ url }: Sandbox): Promise<readonly [number, Health]> => {
  const reply = await fetch(`${url}/health`);
  return [reply.status, (await reply.json()) as Health];
};

const shardsOf = async (sandbox: Sandbox): Promise<number> => (await healthOf(sandbox))[1].shards;

const control = async (
  { controlUrl }: Sandbox,
  path: string,
  body?: object,
): Promise<readonly [number, Record<string, unknown>]> => {
  const headers = { "content-type": "application/json" };
  const posted = body && { method: "POST", headers, body: JSON.stringify(body) };
  const reply = await fetch(`${controlUrl}/control/${path}`, posted);
  return [reply.status, (await reply.json()) as Record<string, unknown>];
};

const ORDER = { symbol: "BTC/USD", side: "BUY", quantity: "1", price: "100", type: "SYNTHETIC_LIMIT" };

const at = ({ url, wsUrl, controlUrl = "" }: Sandbox, keys = DEMO): ReturnType<typeof signedBy> =>
  signedBy({ url, wsUrl, controlUrl }, keys);

const place = (sandbox: Sandbox, keys: typeof DEMO, newClientOrderId: string): Promise<Reply> =>
  at(sandbox, keys)("POST", "/api/order", { ...ORDER, newClientOrderId });

const find = (sandbox: Sandbox, keys: typeof DEMO, origClientOrderId: string): Promise<Reply> =>
  at(sandbox, keys)("GET", "/api/v2/order", { symbol: "BTC/USD", origClientOrderId });

/** Less than a term of a lease: nothing was waited for that long. */
const SOON = { timeout: TTL_MS - 1_000, interval: 20 };

/** Starts two sandboxes: the first one takes all shards at once, and the second one none for some time. */
async function pairOf(schema: string): Promise<readonly [Sandbox, Sandbox]> {
  const start = await cluster(schema);
  const first = await start();
  await expect.poll(() => shardsOf(first), SOON).toBe(256);
  const second = await start();
  expect(await healthOf(second)).toEqual([200, { state: "ready", shards: 0, reasons: [] }]);
  return [first, second];
}

describe("sandboxes that share", () => {
  it("serve all accounts, also those that another one has added, and name the owner of what they cannot tell", async () => {
    const [first, second] = await pairOf("served");
    const keys = { apiKey: "key-7", secret: "secret-7" };
    const account = { accountId: 7, ...keys, permissions: ["READ", "TRADE"], enableDataSharing: true };
    expect((await control(second, "accounts", { ...account, balances: { USD: "1000" } }))[0]).toBe(200);
    expect((await control(first, "accounts/7"))[1]).toMatchObject({ apiKey: "key-7" });
    const placed = [await place(first, keys, "one"), await place(second, keys, "two")];
    expect(placed.map(({ status }) => status)).toEqual([200, 200]);
    const [one, two] = placed.map(({ body }) => body["orderId"] as number);
    expect((await find(second, keys, "one")).body["orderId"]).toBe(one);
    expect((await find(first, keys, "two")).body["orderId"]).toBe(two);
    expect((await control(first, `orders/${two}/journal`))[0]).toBe(200);
    const [status, { error }] = await control(second, `orders/${two}/journal`);
    expect([status, error]).toEqual([421, expect.stringMatching(/another sandbox .* 127\.0\.0\.1:\d+/)]);
    const state = await control(first, "verify");
    expect(state[1]).toMatchObject({ equal: true, records: 2 });
    // It reads what the other one has appended with a beat.
    await expect.poll(() => control(second, "verify"), SOON).toEqual(state);
  });

  it("give everything away when they are asked to end, and their orders are answered by the other one", async () => {
    const [first, second] = await pairOf("left");
    const placed = await place(first, DEMO, "kept");
    expect(placed.status).toBe(200);
    await first.stop();
    // The last shards were released when the first one ended, and are claimed with the next reading of the second one.
    await expect.poll(() => shardsOf(second), SOON).toBe(256);
    expect((await find(second, DEMO, "kept")).body["orderId"]).toBe(placed.body["orderId"]);
    await expect(fetch(`${first.url}/health`)).rejects.toThrow();
  });

  it("end without a wait if there is no other one, and leave their shards to the next", async () => {
    const start = await cluster("alone");
    const only = await start();
    await expect.poll(() => shardsOf(only), SOON).toBe(256);
    const begun = performance.now();
    await only.stop();
    expect(performance.now() - begun).toBeLessThan(TTL_MS);
    const next = await start();
    await expect.poll(() => shardsOf(next), SOON).toBe(256);
  });
});
