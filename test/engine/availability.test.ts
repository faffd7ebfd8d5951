import { describe, expect, it } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import type { Account } from "../../src/model/index.ts";
import { reported, sentTo } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, INSTRUMENTS, type World } from "../support/world.ts";

const LIMIT = { price: "100" };
const CONSENTING: Account = {
  accountId: ACCOUNT,
  userId: ACCOUNT,
  enableDataSharing: true,
  delegates: [],
  restricted: false,
};

const withAccount = (world: World, change: Partial<Account>): void =>
  world.accounts.put({ account: { ...CONSENTING, ...change }, keys: [] });

async function nothingStored(world: World): Promise<void> {
  const page = { accountId: ACCOUNT, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
  expect(await world.engine.page(page)).toEqual({ total: 0, nextOrderId: 0, orders: [] });
  expect(world.engine.metrics()).toMatchObject({ openParents: 0, pendingCommands: 0, journalSequence: 0 });
}

describe("creation is refused and leaves no trace (I02)", () => {
  it.each([
    ["the deployment flag is off", { advancedOrders: false }],
    ["the deployment is not in liquidity mode", { liquidityMode: false }],
  ])("404 -1020 when %s", async (_when, settings) => {
    const world = await createWorld({ settings });
    await expect(world.place(LIMIT)).rejects.toMatchObject({ code: -1020, status: 404 });
    await nothingStored(world);
  });

  it("-2010 without the owner's consent, for a restricted account, and for an unknown one", async () => {
    const world = await createWorld();
    for (const change of [
      { enableDataSharing: false },
      { restricted: true },
      { restricted: ["ETH/USD", "BTC/USD"] },
    ]) {
      withAccount(world, change);
      await expect(world.place(LIMIT)).rejects.toMatchObject({ code: -2010 });
    }
    await expect(world.place(LIMIT, 77)).rejects.toMatchObject({ code: -2010 });
    await nothingStored(world);
  });

  it("a flag that is off and an unknown account have separate names, and one error on the wire", async () => {
    const off = await createWorld({ settings: { advancedOrders: false } });
    const body = new OrderError("UNSUPPORTED_OPERATION").toBody();
    const flag: OrderError = await off.place(LIMIT).then(String, (error) => error);
    expect([flag.reason, flag.toBody()]).toEqual(["ADVANCED_ORDERS_OFF", body]);
    const world = await createWorld();
    const unknown: OrderError = await world.place(LIMIT, 77).then(String, (error) => error);
    expect([unknown.reason, unknown.toBody()]).toEqual([
      "UNKNOWN_ACCOUNT",
      new OrderError("ACCOUNT_DISABLED").toBody(),
    ]);
  });

  it("a restriction of another symbol does not count", async () => {
    const world = await createWorld();
    withAccount(world, { restricted: ["ETH/USD"] });
    await expect(world.place(LIMIT)).resolves.toMatchObject({ accountId: ACCOUNT });
  });

  it.each(["HALT", "BREAK", "CANCEL_ONLY", "END_OF_DAY"] as const)(
    "-2010 'Market is closed.' in %s",
    async (status) => {
      const world = await createWorld({
        instruments: INSTRUMENTS.map((instrument) => ({ ...instrument, status })),
      });
      await expect(world.place(LIMIT)).rejects.toMatchObject({ code: -2010, msg: "Market is closed." });
      await nothingStored(world);
    },
  );

  it("-1121 for an instrument of a conversion, as for a staking instrument", async () => {
    const others = {
      id: 10,
      symbol: "WBTC/USD",
      aliases: [],
      baseAsset: "WBTC",
      quoteAsset: "USD",
      name: "Wrapped",
    };
    const conversion = { ...others, kind: "conversion", status: "TRADING" } as const;
    const world = await createWorld({ instruments: [...INSTRUMENTS, conversion] });
    const refused = world.place({ ...LIMIT, symbol: "WBTC/USD" });
    await expect(refused).rejects.toMatchObject({ code: -1121, reason: "NOT_TRADED" });
    await nothingStored(world);
  });

  it("-1121 for an unknown symbol, an alias in process, and a staking instrument", async () => {
    const world = await createWorld();
    for (const symbol of ["XRP/USD", "BTCUSD", "btc/usd", "STETH/USD"]) {
      await expect(world.place({ ...LIMIT, symbol })).rejects.toMatchObject({ code: -1121 });
    }
    const staking = {
      reason: "NOT_TRADED",
      remedy: expect.stringContaining("STETH/USD does not accept orders"),
    };
    await expect(world.place({ ...LIMIT, symbol: "STETH/USD" })).rejects.toMatchObject(staking);
    await nothingStored(world);
  });

  it("503 -1016 while draining", async () => {
    const world = await createWorld();
    world.engine.drain();
    await expect(world.place(LIMIT)).rejects.toMatchObject({ code: -1016, status: 503 });
    await nothingStored(world);
  });

  it("-1016 too if draining begins while the host is asked for the account", async () => {
    let answer = (): void => undefined;
    const world = await createWorld({
      accounts: {
        key: () => undefined,
        account: () => new Promise((resolve) => (answer = () => resolve(CONSENTING))),
      },
    });
    const placing = world.place(LIMIT);
    await world.engine.idle();
    world.engine.drain();
    answer();
    await expect(placing).rejects.toMatchObject({ code: -1016 });
    await nothingStored(world);
  });

  it("503 -1001 when a required part of the host is down", async () => {
    const down = (): never => {
      throw new Error("down");
    };
    const accounts = await createWorld({ accounts: { key: down, account: down } });
    await expect(accounts.place(LIMIT)).rejects.toMatchObject({ code: -1001, status: 503 });
    const exposure = await createWorld({ exposure: { position: () => Promise.reject(new Error("down")) } });
    const reducing = exposure.place({ side: "SELL", ...LIMIT, reduceOnly: true });
    await expect(reducing).rejects.toMatchObject({ code: -1001, status: 503 });
    await nothingStored(accounts);
    await nothingStored(exposure);
  });
});

describe("accepted parents are managed until they end", () => {
  const ENDS: readonly (readonly [string, (world: World) => void | Promise<void>])[] = [
    ["the consent is withdrawn", (world) => withAccount(world, { enableDataSharing: false })],
    ["the account is restricted", (world) => withAccount(world, { restricted: true })],
    ["the engine drains", (world) => world.engine.drain()],
  ];

  it.each(ENDS)("when %s", async (_when, happens) => {
    const world = await createWorld();
    const filled = await world.place(LIMIT);
    const canceled = await world.place({ price: "50" });
    await happens(world);
    await world.quote("99", "100");
    expect(await world.status(filled)).toBe("FILLED FILLED");
    expect((await world.cancel(canceled)).ended?.status).toBe("CANCELED");
  });

  it("when the flag is off after a restart: they can be read, execute, can be canceled, and answer under their id", async () => {
    const settings = { advancedOrders: true };
    const world = await createWorld({ settings });
    await world.quote("101", "102");
    const order = await world.place({ ...LIMIT, newClientOrderId: "mine" });
    const other = await world.place({ price: "50" });
    settings.advancedOrders = false;
    await world.crash();
    expect(world.engine.settings.advancedOrders).toBe(false);
    expect((await world.place({ ...LIMIT, newClientOrderId: "mine" })).orderId).toBe(order.orderId);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(await world.engine.cancelAll(ACCOUNT)).toMatchObject({ matchedCount: 1, canceledCount: 1 });
    expect(await world.status(other)).toBe("CANCELED CANCELED");
  });

  it("cancels are accepted while a child is in flight and the engine drains", async () => {
    const world = await createWorld();
    const order = await world.place(LIMIT);
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    world.engine.drain();
    await world.cancel(order);
    expect(await world.status(order)).toBe("NEW WORKING cancelPending");
    expect(sentTo(world.venue)).toHaveLength(1);
  });
});
