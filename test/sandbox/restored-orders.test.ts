import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { backupSqliteStore, restoreSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { createControlServer } from "../../src/sandbox/control-server.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { canBackUp } from "../adapters/sqlite/temporary-place.ts";
import { START_MS, temporaryDirectory } from "./venue-world.ts";

const WORD = { by: "ops", why: "compared with the venue" };

async function open(path: string): Promise<Exchange> {
  const env = { STORE: `sqlite:${path}`, MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS) };
  const telemetry = { event: () => undefined };
  const parts = { realClock: createSystemClock(), entropy: createEntropy(), telemetry };
  const exchange = await openExchange(readSettings({ env, argv: [] }), parts);
  onTestFinished(() => exchange.close().catch(() => undefined));
  return exchange;
}

/** Serves the control interface of an exchange; returns a function that posts to its route for restored orders. */
async function resumeRoute(exchange: Exchange) {
  const server = createControlServer(
    (call) => answerControl(exchange, call),
    () => [],
  );
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return async (body: unknown) => {
    const init = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { connection: "close", "content-type": "application/json" },
    };
    return (await fetch(`http://127.0.0.1:${port}/control/restored/resume`, init)).status;
  };
}

describe.skipIf(!canBackUp)("POST /control/restored/resume", () => {
  it("resumes an order once, with executions that the venue knows, and refuses a body that it cannot read", async () => {
    const folder = await temporaryDirectory();
    const [path, backup, restored] = ["a.db", "backup.db", "b.db"].map((name) => join(folder, name));
    if (path === undefined || backup === undefined || restored === undefined) throw new Error("no path");
    const first = await open(path);
    const order = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "100",
    } as const;
    const { orderId } = (await first.engine.place({ accountId: 1, order })).order;
    await backupSqliteStore({ path, to: backup });
    await first.close();
    await expect(open(backup), "a backup is not a store").rejects.toThrow("backup.db is a backup");
    await restoreSqliteStore({ from: backup, path: restored });
    const second = await open(restored);
    const post = await resumeRoute(second);
    const status = async () => (await second.engine.find({ accountId: 1, orderId }))?.ended?.status;
    second.sink.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    await second.settle();
    expect(await status(), "it is paused").toBeUndefined();
    for (const wrong of [{}, { orderId, ...WORD, children: [{ childId: "" }] }, { orderId: "1", ...WORD }])
      expect(await post(wrong)).toBe(400);
    expect(await post({ orderId, children: [], ...WORD })).toBe(200);
    second.sink.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    await second.settle();
    expect(await status()).toBe("FILLED");
    expect(await post({ orderId, children: [], ...WORD })).toBe(409);
  });
});
