import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import type { ClusterNode } from "../../src/cluster/index.ts";
import { price } from "../../src/decimal/index.ts";
import type { OrderFields } from "../../src/index.ts";
import type { AccountEvent } from "../../src/ports/index.ts";
import { answerControl, answerStandby } from "../../src/sandbox/control-routes.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings, readVenueSettings } from "../../src/sandbox/settings.ts";
import { connectVenue, createVenueControl } from "../../src/sandbox/venue-elsewhere.ts";
import { startVenue, type VenueProcess } from "../../src/sandbox/venue-process.ts";
import type { JsonValue } from "../../src/wire/index.ts";
import { SECRET, until } from "../adapters/venue-http/loopback.ts";
import { standardError } from "../support/standard-error.ts";
import { temporaryDirectory } from "./venue-world.ts";

standardError();

let venue: VenueProcess;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  venue = await venueOn("memory:");
  env = environmentOf(venue);
});

/** A paper venue with its ports, as `managed-orders venue` runs it. */
async function venueOn(VENUE_RECORD: string): Promise<VenueProcess> {
  const settings = {
    PORT: "auto",
    CONTROL_PORT: "auto",
    MARKET: "manual",
    VENUE_SECRET: SECRET,
    VENUE_RECORD,
  };
  const started = await startVenue(readVenueSettings({ env: settings, argv: [] }));
  onTestFinished(() => started.stop());
  return started;
}

const environmentOf = ({ url, controlUrl = "off" }: VenueProcess): Readonly<Record<string, string>> => ({
  ...{ STORE: "memory:", VENUE: url, VENUE_SECRET: SECRET, VENUE_CONTROL: controlUrl },
});

async function open(more: Readonly<Record<string, string>> = {}): Promise<Exchange> {
  const exchange = await openExchange(readSettings({ env: { ...env, ...more }, argv: [] }), {
    ...{ realClock: createSystemClock(), entropy: createEntropy() },
    telemetry: { event: () => undefined },
  });
  onTestFinished(() => exchange.close());
  return exchange;
}

type Said = Readonly<Record<string, JsonValue>>;

const callOf = (method: string, path: string, body?: JsonValue): Parameters<typeof answerControl>[1] => ({
  ...{ method, path: path.split("/"), query: new Map(), body },
});

const control = async <T = Said>(
  exchange: Exchange,
  method: string,
  path: string,
  body?: JsonValue,
): Promise<T> => (await answerControl(exchange, callOf(method, path, body))) as T;

const QUOTE = { symbol: "BTC/USD", bid: "99", ask: "100" };
const ORDER: OrderFields = {
  ...{ symbol: "BTC/USD", side: "BUY", quantity: "1", price: "100", type: "SYNTHETIC_LIMIT" },
};

/** Places an order that the venue's quote fills; resolves when the engine has counted the fill. */
async function trade(exchange: Exchange): Promise<string> {
  const { engine } = exchange;
  const { order } = await engine.place({ accountId: 1, order: ORDER });
  let status: string | undefined;
  engine.events.on("order", ({ order: now }) => {
    if (now.orderId === order.orderId) status = now.ended?.status;
  });
  await control(exchange, "POST", "quotes", QUOTE);
  await until(() => status !== undefined, "the end of the order");
  return status ?? "";
}

describe("a sandbox with VENUE", () => {
  it("executes at that venue, with its quotes, balances, positions and native orders", async () => {
    const exchange = await open();
    const events: AccountEvent[] = [];
    exchange.accountEvents.subscribe((event) => events.push(event));
    expect(await trade(exchange)).toBe("FILLED");
    const children = await control<readonly Said[]>(exchange, "GET", "children");
    expect(children).toMatchObject([{ executedQty: "1", submissions: 1 }]);
    const { balances, positions } = await exchange.desk.funds(1);
    const usd = (await exchange.balances.balances(1)).find(({ asset }) => asset === "USD");
    expect([balances["USD"], positions]).toEqual([usd?.free, {}]);
    const page = { accountId: 1, symbol: "BTC/USD", limit: 5 };
    expect(await exchange.native.page(page)).toHaveLength(1);
    const fill = { executionId: "x", quantity: 1_000_000, price: 10_000_000_000, timeMs: 5 };
    exchange.accountEvents.afterFill({ accountId: 1, symbol: "BTC/USD", side: "BUY", fill } as never);
    await until(() => events.length > 0, "the account's event");
    expect(events).toEqual([
      {
        accountId: 1,
        update: {
          ...{ reason: "ORDER", timeMs: 5 },
          balances: [
            { asset: "BTC", wallet: balances["BTC"], change: "1" },
            { asset: "USD", wallet: balances["USD"], change: "-100" },
          ],
          positions: [{ symbol: "BTC/USD", amount: balances["BTC"] }],
        },
      },
    ]);
    expect(await control(exchange, "GET", "verify")).toMatchObject({ equal: true });
  });

  it("passes calls about market, funds and faults of the venue on, with its refusals", async () => {
    const exchange = await open();
    const account = {
      accountId: 7,
      apiKey: "k7",
      secret: "s7",
      permissions: ["TRADE"],
      enableDataSharing: true,
    };
    const funds = { balances: { USD: "50" }, positions: { "BTC/USD": "-2" } };
    expect(await control(exchange, "POST", "accounts", { ...account, ...funds })).toMatchObject(funds);
    expect(await control(exchange, "GET", "accounts/7")).toMatchObject({ userId: 7, ...funds });
    await control(exchange, "POST", "faults", { venue: { mode: "hold", count: 1 } });
    await expect(control(exchange, "POST", "quotes", { ...QUOTE, bid: "x" })).rejects.toThrow("bid");
    await expect(control(exchange, "POST", "venue/release", { child: "none" })).rejects.toThrow(
      "the venue does not hold a child none",
    );
    const print = { symbol: "BTC/USD", price: "100", quantity: "1", id: "é" };
    await expect(control(exchange, "POST", "trades", print)).rejects.toThrow(
      "id: must be 1 to 64 printable ASCII characters",
    );
    expect(await control(exchange, "POST", "market", { run: true })).toEqual({ running: false });
  });

  it("a standby passes such calls on too, and no others", async () => {
    const { telemetry, clock } = { telemetry: { event: () => undefined }, clock: createSystemClock() };
    const { venue: address } = readSettings({ env, argv: [] });
    if (address === undefined) throw new Error("no VENUE");
    const elsewhere = await connectVenue(address, { telemetry, clock });
    onTestFinished(() => elsewhere.close());
    const standby = { status: () => ({ state: "ready", reasons: [] }) } as unknown as ClusterNode;
    const requested = { standby, desk: elsewhere.desk };
    expect(await answerStandby(requested, callOf("POST", "quotes", QUOTE))).toEqual({
      accepted: 1,
      dropped: 0,
    });
    const reject = { venue: { mode: "reject" } };
    expect(await answerStandby(requested, callOf("POST", "faults", reject))).toEqual({ ok: true });
    const both = callOf("POST", "faults", { ...reject, store: { mode: "fail" } });
    for (const call of [both, callOf("GET", "metrics"), callOf("POST", "settle", {})])
      await expect(answerStandby(requested, call)).rejects.toThrow("this sandbox is a standby");
    await expect(
      answerStandby({ standby, desk: undefined }, callOf("POST", "quotes", QUOTE)),
    ).rejects.toThrow("this sandbox is a standby");
  });

  it("without VENUE_CONTROL, says where such a call belongs", async () => {
    const exchange = await open({ VENUE_CONTROL: "off" });
    await expect(control(exchange, "POST", "quotes", QUOTE)).rejects.toThrow(
      "POST /control/quotes belongs to the venue, which runs in another process: send it to the control interface of that process, or set VENUE_CONTROL",
    );
    expect(await control(exchange, "GET", "verify")).toMatchObject({ equal: true });
    const away = createVenueControl("http://127.0.0.1:1");
    await expect(away({ method: "GET", path: ["health"] })).rejects.toThrow(
      /^the control interface of the venue at http:\/\/127\.0\.0\.1:1 did not answer \(.+\): start the venue, or correct VENUE_CONTROL$/,
    );
  });

  it("I06: a new store is refused at a venue that has children: it would answer with their fills", async () => {
    expect(await trade(await open())).toBe("FILLED");
    await expect(open()).rejects.toThrow(
      `VENUE: the venue at ${venue.url} has children of another store: start it with another VENUE_RECORD, or restore that store`,
    );
  });

  it("I01: a store is opened again at its venue", async () => {
    const folder = await temporaryDirectory();
    const STORE = `sqlite:${join(folder, "orders.db")}`;
    const first = await open({ STORE });
    expect(await trade(first)).toBe("FILLED");
    await first.close();
    const again = await open({ STORE });
    expect(await control(again, "GET", "verify")).toMatchObject({ equal: true });
    expect(await trade(again)).toBe("FILLED");
  });

  it("a stale volume stops the prints of the venue on their way to the engine", async () => {
    const exchange = await open();
    const { engine } = exchange;
    const trade = { symbol: "BTC/USD", price: "100", quantity: "5" };
    const reported = async (id: string, bid: string): Promise<number> => {
      await control(exchange, "POST", "trades", { ...trade, id });
      await control(exchange, "POST", "quotes", { ...QUOTE, bid });
      await until(() => engine.quote("BTC/USD")?.quote.bid === price(bid), "the quote after the trade");
      return engine.metrics().printsCounted;
    };
    // Trades from before the connection of the stream are not heard.
    await reported("connecting", "98");
    const counted = await reported("before", "97");
    await control(exchange, "POST", "faults", { volume: { mode: "stale" } });
    expect(await reported("during", "96")).toBe(counted);
    await control(exchange, "POST", "faults", { volume: { mode: "none" } });
    expect(await reported("after", "95")).toBe(counted + 1);
  });

  it("another secret is one sentence that names VENUE", async () => {
    await expect(open({ VENUE_SECRET: "a secret of somebody else" })).rejects.toThrow(
      `VENUE: the venue at ${venue.url} cannot be used: /v1/venue: the server answered 401 BAD_SIGNATURE`,
    );
  });
});
