import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import type { Draft } from "../../examples/browser-client/draft.ts";
import { openTrader, type Trader, type View } from "../../examples/browser-client/trader.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { sandboxOf } from "./example-sandbox.ts";
import { root } from "./markdown.ts";

const folder = `${root}examples/browser-client/`;
const KEY: Readonly<{ apiKey: string; secret: string }> = { apiKey: "page-key", secret: "page-secret" };
const LIMIT: Draft = {
  ...{ side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.01", price: "59000" },
  ...{ slots: "4", seconds: "5" },
};

/** A page without a document: it keeps what it shows. */
class Page {
  readonly lines: string[] = [];
  view: View = { orders: [], bids: [], asks: [], problem: undefined };
  #look: () => void = () => undefined;

  readonly show = (view: View): void => {
    this.view = view;
    this.#look();
  };

  say(what: string, text: string): void {
    // The client makes an id for each order.
    this.lines.push(`${what}: ${text.replaceAll(/\bcm\w+-[\w-]+/g, "(id)")}`);
  }

  /** Does a step, and notes what the page says then. */
  async does(what: string, act: () => Promise<string | readonly string[]>): Promise<void> {
    const answer = await act().catch((error: Error) => error.message);
    this.say(what, [answer].flat().join(" / "));
  }

  /** Waits until the page shows something, and notes it. */
  async shows(what: string, shown: (view: View) => unknown): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#look = () => void (Boolean(shown(this.view)) && resolve());
      this.#look();
    });
    this.say(what, String(shown(this.view)));
  }
}

async function quote(sandbox: Sandbox, bid: string, ask: string): Promise<void> {
  sandbox.exchange.sink.quote({ symbol: "BTC/USD", bid, ask, bidQuantity: "2", askQuantity: "3" });
  await sandbox.exchange.settle();
}

const ordersWith =
  (status: string) =>
  ({ orders }: View): string =>
    orders
      .filter((order) => order.status === status)
      .map(({ side, executedQty, origQty }) => `${side} ${executedQty} of ${origQty}, ${status}`)
      .join("; ");

const bestLevels = ({ bids, asks }: View): string =>
  bids[0] === undefined ? "" : `bid ${bids[0].join(" x ")}, ask ${asks[0]?.join(" x ")}`;

async function previewAndPlace(page: Page, trader: Trader): Promise<void> {
  const previews: Readonly<Record<string, Partial<Draft>>> = {
    "preview, too small": { price: "100" },
    "preview, a comma": { quantity: "0,01" },
    "preview, a stop": { side: "SELL", type: "STOP_MARKET" },
    "preview, a TWAP": { type: "TWAP", quantity: "0.05" },
    "preview, too many slices": { type: "TWAP", slots: "100" },
    "preview, no slices": { type: "TWAP", slots: "" },
  };
  for (const [what, change] of Object.entries(previews))
    await page.does(what, () => trader.preview({ ...LIMIT, ...change }));
  await page.does("place, too small", () => trader.place({ ...LIMIT, price: "100" }));
  await page.does("place", () => trader.place(LIMIT));
}

it("examples/browser-client shows and says its expected.txt", async () => {
  const sandbox = await sandboxOf("browser-client", {
    ...{ MARKET: "manual", QUOTE_MAX_AGE_MS: "600000" },
    ...{ SANDBOX_API_KEY: KEY.apiKey, SANDBOX_API_SECRET: KEY.secret },
  });
  await quote(sandbox, "60000", "60001");
  const page = new Page();
  let isLost = false;
  const access = {
    ...KEY,
    baseUrl: sandbox.url,
    fetch: async (url: string, init: RequestInit): Promise<Response> => {
      const reply = await fetch(url, init);
      if (isLost && init.method === "POST") throw new TypeError("connection reset");
      return reply;
    },
  };
  const connect = async (change: Partial<typeof access>): Promise<string> => {
    (await openTrader({ ...access, ...change }, "BTC/USD", page.show)).close();
    return "connected";
  };
  const gone = async (): Promise<Response> => Promise.reject(new TypeError("Failed to fetch"));
  await page.does("a wrong secret", () => connect({ secret: "page-secreT" }));
  await page.does("a wrong key", () => connect({ apiKey: "page-keY" }));
  await page.does("no service", () => connect({ fetch: gone }));

  const trader = await openTrader(access, "BTC/USD", page.show);
  onTestFinished(() => trader.close());
  await page.shows("book", bestLevels);
  await previewAndPlace(page, trader);
  await page.shows("orders", ordersWith("NEW"));
  await quote(sandbox, "58999", "59000");
  await page.shows("orders after the ask has fallen", ordersWith("FILLED"));
  isLost = true;
  await page.does("place, the reply is lost", () => trader.place({ ...LIMIT, price: "50000" }));
  isLost = false;
  await page.shows("orders", ordersWith("NEW"));
  for (const order of page.view.orders.filter(({ status }) => status === "NEW"))
    await page.does("cancel", () => trader.cancel(order));
  await page.shows("orders", ordersWith("CANCELED"));

  const text = `${page.lines.join("\n")}\n`;
  expect(text).not.toContain(KEY.secret);
  expect(text).not.toContain(KEY.apiKey);
  await expect(text).toMatchFileSnapshot(`${folder}expected.txt`);
});

it("examples/browser-client bundles for a browser, without a Node built-in or a module for Node", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${folder}page.ts`],
    tsconfig: `${folder}tsconfig.json`,
    ...{ bundle: true, format: "esm", write: false, metafile: true, logLevel: "silent" },
  });
  expect(outputFiles[0]?.text).not.toMatch(/from ?"node:|\brequire\(/);
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /-node\.ts$|node_modules\/ws\/|^node:/.test(path))).toEqual([]);
  expect(inputs.some((path) => path.endsWith("src/client/socket-default.ts"))).toBe(true);
});

it("every element that page.ts of examples/browser-client asks for is in its index.html", () => {
  const [script, html] = ["page.ts", "index.html"].map((name) => readFileSync(folder + name, "utf8"));
  const requested = [...(script ?? "").matchAll(/\b(?:element|input)\("(\w+)"/g)].map(([, id]) => id);
  const listed = ["address", "key", "secret"];
  const missing = [...requested, ...listed].filter((id) => !html?.includes(`id="${id}"`));
  expect([requested.length > 10, missing]).toEqual([true, []]);
});
