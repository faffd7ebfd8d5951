import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Access,
  type AccountDesk,
  type DeskListener,
  openDesk,
} from "../../../src/sandbox/console/account-desk.ts";
import { controlAt, FAULTS } from "../../../src/sandbox/console/control.ts";
import { endReasonOf, lifeOf } from "../../../src/sandbox/console/life.ts";
import { openMarketFeed } from "../../../src/sandbox/console/market-feed.ts";
import { type Outcome, type ShownOrder, statusOf } from "../../../src/sandbox/console/orders.ts";
import { requestOf } from "../../../src/sandbox/console/requests.ts";
import type { KindName, Values } from "../../../src/sandbox/console/ticket.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { readSettings } from "../../../src/sandbox/settings.ts";

const KEY = { apiKey: "page-key", secret: "page-secret" } as const;

/** A child that a busy machine sends late would be one that is looked up, with a line more in the life of its order. */
const LONG_MS = "60000";

async function startedSandbox(submitDeadlineMs = LONG_MS): Promise<Sandbox> {
  const env = {
    ...{ STORE: "memory:", MARKET: "manual", PORT: "auto", CONTROL_PORT: "auto", QUOTE_MAX_AGE_MS: "600000" },
    ...{
      SANDBOX_API_KEY: KEY.apiKey,
      SANDBOX_API_SECRET: KEY.secret,
      RETRY_MIN_MS: "1",
      VENUE_QUIET_MS: "0",
      RATE_LIMITS: "off",
    },
  };
  const sandbox = await startSandbox(
    readSettings({ env: { ...env, SUBMIT_DEADLINE_MS: submitDeadlineMs }, argv: [] }),
  );
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** The page without a document: it keeps what it would show, and tells when that changes. */
class Page implements DeskListener {
  shown: readonly ShownOrder[] = [];
  readonly fills: string[] = [];
  readonly states: string[] = [];
  balance: Readonly<Record<string, string>> = {};
  #look: () => void = () => undefined;

  readonly orders = (orders: readonly ShownOrder[]): void => {
    this.shown = orders;
    this.#look();
  };
  readonly execution: DeskListener["execution"] = ({ l, L }) => void this.fills.push(`${l} at ${L}`);
  readonly ended: DeskListener["ended"] = ({ clientOrderId }) =>
    void this.states.push(`ended ${clientOrderId}`);
  readonly balances: DeskListener["balances"] = (changed) => {
    this.balance = { ...this.balance, ...changed };
  };
  readonly sync: DeskListener["sync"] = ({ state }) => void this.states.push(state);
  readonly reconciling: DeskListener["reconciling"] = (sentence) => void this.states.push(sentence);
  readonly problem: DeskListener["problem"] = (error) => void this.states.push(String(error));

  /** Resolves when an order has a status. */
  async has(clientOrderId: string, status: string): Promise<ShownOrder> {
    const found = (): ShownOrder | undefined =>
      this.shown.find((order) => order.clientOrderId === clientOrderId && order.status === status);
    await this.shows(() => found() !== undefined);
    return found() ?? expect.unreachable();
  }

  /** Resolves when the orders are as expected. */
  shows(expected: (orders: readonly ShownOrder[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (expected(this.shown)) resolve();
      };
      this.#look();
    });
  }
}

type World = Readonly<{
  page: Page;
  desk: AccountDesk;
  control: ReturnType<typeof controlAt>;
  quote: (bid: string, ask: string) => Promise<unknown>;
  place: (kind: KindName, id: string, values: Values) => Promise<Outcome>;
}>;

async function world(options: Partial<Access> = {}, submitDeadlineMs?: string): Promise<World> {
  const { url, controlUrl } = await startedSandbox(submitDeadlineMs);
  const control = controlAt(`${controlUrl}/control`);
  const quote = (bid: string, ask: string): Promise<unknown> =>
    control.post("quotes", { symbol: "BTC/USD", bid, ask });
  await quote("60000", "60001");
  const page = new Page();
  const desk = await openDesk({ baseUrl: url, ...KEY, recvWindowMs: 60_000, ...options }, page);
  onTestFinished(() => desk.close());
  const place = (kind: KindName, id: string, values: Values): Promise<Outcome> =>
    desk.place(
      requestOf(kind, "BTC/USD", { values: { side: "SELL", quantity: "0.01", ...values }, nowMs: 0, id }),
    );
  return { page, desk, control, quote, place };
}

describe("the console page against a real sandbox", () => {
  it("places a stop, sees it trigger and fill, and shows its life and its one child", async () => {
    const { page, desk, control, quote, place } = await world();
    expect(desk.accountId).toBe(1);
    expect(await place("STOP_MARKET", "stop-1", { stopPrice: "59900" })).toBe("Accepted stop-1.");
    expect((await page.has("stop-1", "NEW")).stopPrice).toBe("59900");
    await quote("59890", "59891");
    const { orderId, executedQty } = await page.has("stop-1", "FILLED");
    expect([executedQty, page.fills]).toEqual(["0.01", ["0.01 at 59890"]]);
    expect(lifeOf(await control.journal(orderId), orderId).map(({ text }) => text)).toEqual([
      ...["Accepted", "Triggered: 59,890.00 reached 59,900.00", "Sent 0.01 to the venue"],
      ...["Filled 0.01 at 59,890.00", "Done at the venue", "Filled"],
    ]);
    expect((await control.children(orderId)).map(({ submissions }) => submissions)).toEqual([1]);
    expect((await control.account(1)).balances?.["BTC"]).toBe("999.99");
    expect(page.states).toEqual(["synced", "ended stop-1"]);
  });

  it("a rejected order tells its reason, by the stream and by the journal", async () => {
    const { page, desk, control } = await world();
    const values = { side: "SELL", quantity: "0.01", price: "2900" };
    await desk.place(requestOf("LIMIT_MAKER", "ETH/USD", { values, nowMs: 0, id: "maker-1" }));
    await control.post("quotes", { symbol: "ETH/USD", bid: "3000", ask: "3001" });
    const { orderId, reason } = await page.has("maker-1", "REJECTED");
    const reported = "WOULD_MATCH_IMMEDIATELY";
    expect([reason, endReasonOf(await control.journal(orderId), orderId)]).toEqual([reported, reported]);
    desk.explain(orderId, "REJECTED_BY_VENUE");
    expect(page.shown[0]?.reason).toBe("REJECTED_BY_VENUE");
  });

  it("I21: a child whose answer was lost is found, and not sent again", async () => {
    const { page, control, quote, place } = await world({}, "500");
    await control.post("faults", FAULTS["timeout-after"].body);
    await place("STOP_MARKET", "stop-2", { stopPrice: "59900" });
    await quote("59890", "59891");
    const { orderId } = await page.has("stop-2", "FILLED");
    const children = await control.children(orderId);
    expect(children.map(({ submissions, executedQty }) => [submissions, executedQty])).toEqual([[1, "0.01"]]);
    expect(await control.verify()).toMatchObject({ equal: true });
  });

  it("places a bracket as one list, and the cancel of a leg cancels all", async () => {
    const { page, desk, place } = await world();
    const values = { side: "BUY", entryPrice: "59000", profitPrice: "61000", stopPrice: "58000" };
    expect(await place("OTOCO", "bracket-1", values)).toBe("Accepted bracket-1: 3 orders.");
    const entry = await page.has("bracket-1-entry", "NEW");
    expect((await page.has("bracket-1-stop", "PENDING_NEW")).held).toBe(true);
    expect(await desk.cancel(entry)).toBe("Canceled bracket-1-entry with its list.");
    for (const leg of ["entry", "profit", "stop"]) await page.has(`bracket-1-${leg}`, "CANCELED");
  });

  it("a cancel that waits for a child in flight is not said to be done, and its row says that it waits", async () => {
    const { page, desk, control, quote, place } = await world();
    await control.post("faults", FAULTS.hold.body);
    await place("STOP_MARKET", "stop-5", { stopPrice: "59900" });
    const order = await page.has("stop-5", "NEW");
    await quote("59890", "59891");
    expect(await desk.cancel(order)).toEqual({
      text: "The cancel of stop-5 waits for the venue: what was sent may still be filled.",
      tone: "work",
    });
    await page.shows((orders) => orders.some((each) => statusOf(each)[0] === "Canceling"));
    expect(await desk.cancelAll()).toEqual({
      text: "Canceled 0 orders; 1 order still waiting for the venue.",
      tone: "work",
    });
    await control.post("venue/release", {});
    await page.has("stop-5", "FILLED");
  });

  it("an open order that is older than the newest page is still shown", async () => {
    const { page, place } = await world();
    await place("STOP_MARKET", "old", { stopPrice: "50000" });
    const ids = Array.from({ length: 100 }, (_, index) => `new-${index}`);
    await Promise.all(ids.map((id) => place("STOP_MARKET", id, { stopPrice: "50000" })));
    await page.shows((orders) => orders.length === 101);
    expect(page.shown.at(-1)?.clientOrderId).toBe("old");
  });

  it("cancels everything at once, and rejects with the words of the service", async () => {
    const { page, desk, place } = await world();
    await place("STOP_MARKET", "stop-3", { stopPrice: "59000" });
    await place("TRAILING_STOP_MARKET", "trail-3", { trail: "50", trailBy: "bps" });
    await expect(place("STOP_MARKET", "stop-3", { stopPrice: "1,5" })).rejects.toMatchObject({
      field: "stopPrice",
    });
    expect(await desk.cancelAll()).toBe("Canceled 2 orders.");
    await page.has("stop-3", "CANCELED");
    await page.has("trail-3", "CANCELED");
  });

  it("a request without a known outcome is said to be looked up at once, and ends when that is known", async () => {
    const { page, control, place } = await world({ settleMs: 0, recvWindowMs: 500 });
    await control.post("faults", FAULTS["store-fail"].body);
    expect(await place("STOP_MARKET", "stop-4", { stopPrice: "59000" })).toEqual({
      text: "Looked up: stop-4 is not placed.",
      tone: "bad",
    });
    expect(page.states).toContain(
      "The service did not say what became of stop-4. It is looked up, which can take a minute.",
    );
  });

  it("a wrong secret is refused before anything is followed, without showing it", async () => {
    const { url } = await startedSandbox();
    const error = await openDesk({ baseUrl: url, apiKey: KEY.apiKey, secret: "another" }, new Page()).catch(
      String,
    );
    expect([String(error).includes("another"), typeof error]).toEqual([false, "string"]);
  });

  it("the line of a market begins with the quote that it has when the page is opened", async () => {
    const { url, controlUrl } = await startedSandbox();
    await controlAt(`${controlUrl}/control`).post("quotes", {
      symbol: "BTC/USD",
      bid: "60000",
      ask: "60001",
    });
    const feed = await openMarketFeed(url, {
      ...{ passes: false, changed: () => undefined, live: () => undefined },
    });
    onTestFinished(() => feed.close());
    const market = feed.markets.find(({ symbol }) => symbol === "BTC/USD");
    expect(market?.track.first).toEqual({ timeMs: feed.nowMs(), bid: 60_000, ask: 60_001 });
  });

  it("public prices need no key", async () => {
    const { url, controlUrl } = await startedSandbox();
    const received = await new Promise<string>((resolve, reject) => {
      const opened = openMarketFeed(url, {
        passes: true,
        changed: ({ symbol, quote }) => resolve(`${symbol} ${quote?.bid} ${quote?.ask}`),
        live(isLive) {
          if (isLive)
            void controlAt(`${controlUrl}/control`)
              .post("quotes", { symbol: "ETH/USD", bid: "3000", ask: "3001" })
              .catch(reject);
        },
      });
      onTestFinished(async () => (await opened).close());
    });
    expect(received).toBe("ETH/USD 3000 3001");
  });
});
