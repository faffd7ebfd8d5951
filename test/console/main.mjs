/**
 * Drives the console page of the sandbox in Chromium: `npm run program -- browser`. The last line counts the steps.
 * `-- --pictures FOLDER` also writes screenshots. Needs Chromium at /usr/bin/chromium, or where CHROMIUM says.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ConsolePage } from "./console-page.mjs";
import { Sandbox } from "./sandbox.mjs";

/** Nothing that a browser does by itself may look for the network. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];
const HOSTILE = '<img src=x onerror="window.broken = true">';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: FLAGS,
});
const sandbox = new Sandbox();
await sandbox.start();
await sandbox.quote("60000", "60001");
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = new ConsolePage(await context.newPage(), sandbox.url);

/** The steps in their order. Each builds on those before. */
const STEPS = {
  "public prices are live before anybody connects": async () => {
    await page.open();
    await page.shows("#state", "Market live");
    await sandbox.quote("60010", "60011");
    await page.shows("#best", "bid 60,010.00");
    await page.page.click("#preview");
    await page.shows("#previewed", "The service would accept it");
    await page.shows("#place[aria-disabled=true]", "Connect to place");
  },
  "a wrong secret is refused in words": async () => {
    await page.connect("wrong-secret");
    await page.shows("#message[data-tone=bad]", "-1022");
    assert.match(await page.wrong("secret"), /Signature/);
  },
  "connects, and keeps key and secret nowhere": async () => {
    await page.connect();
    await page.shows("#state", "Live");
    await page.shows("#balances", "10,000,000");
    assert.equal(await page.page.isVisible("#connect"), false);
    await page.keepsNothing();
  },
  "a stop is placed, triggers when the market moves, and is filled": async () => {
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.01", stopPrice: "59900" });
    await page.shows("#message", "Accepted stop-");
    const id = await page.row("Stop", "Waiting");
    await page.chartSays(/^BTC\/USD from [0-9:]+: price 60,010.50, Sell stop 59,900.00$/);
    await sandbox.quote("59890", "59891");
    assert.equal(await page.row("Stop", "Filled"), id);
    assert.match(await page.life(id, "Filled 0.01"), /arrived once/);
    await page.shows("#known", "sells when bid ≤ 59,900.00");
    await page.inChart("Sold 0.01 at 59,890.00");
  },
  "the chart moves with a drag, zooms with the wheel, and goes back to now": async () => {
    const mark = "Sold 0.01 at 59,890.00";
    const { x, y } = await page.inChart(mark);
    await page.page.mouse.move(x - 60, y);
    await page.page.mouse.down();
    await page.page.mouse.move(x - 260, y, { steps: 20 });
    await page.page.mouse.up();
    const moved = await page.inChart(mark);
    assert.ok(x - moved.x > 100, `a drag moved ${x} to ${moved.x}`);
    await page.page.mouse.move(moved.x - 300, y);
    for (let turn = 0; turn < 5; turn++) await page.page.mouse.wheel(0, -100);
    const zoomed = await page.inChart(mark);
    assert.ok(zoomed.x - moved.x > 15, `the wheel moved ${moved.x} to ${zoomed.x}`);
    await page.page.click("#spans button:nth-child(2)");
    await page.inChart(mark);
    const [logo, chart] = await Promise.all(
      ["#tv-attr-logo", "#chart"].map((each) => page.page.locator(each).boundingBox()),
    );
    assert.ok(logo.x - chart.x < 20 && logo.y > chart.y + chart.height / 2);
    await page.page.click("#spans button:nth-child(1)");
  },
  "I21: of a child whose answer was lost, the page shows that it arrived once": async () => {
    await page.page.selectOption("#fault", "timeout-after");
    await page.page.click("#fault-set");
    await page.shows("#message", "Set: answer lost");
    await page.place("TAKE_PROFIT_MARKET", { side: "SELL", quantity: "0.02", stopPrice: "60500" });
    await page.row("Take-profit", "Waiting");
    await sandbox.quote("60600", "60601");
    const id = await page.row("Take-profit", "Filled");
    assert.match(await page.life(id, "No answer from the venue"), /arrived once/);
    await page.page.click("#verify");
    await page.shows("#message", "Live state and journal agree");
  },
  "the ticket tells value and share, and a large order is sent only when it is confirmed": async () => {
    await page.page.selectOption("#kind", "STOP_MARKET");
    await page.page.fill("#share", "60");
    await page.shows("#place", "Sell 599.982 BTC");
    await page.shows("#size", "999.97 BTC");
    await page.page.fill("#field-stopPrice", "50000");
    await page.shows("#size-value", "about 29,999,100.00 USD");
    await page.page.focus("#place");
    await page.page.keyboard.press("Enter");
    await page.shows("#confirm-says", "That is 60 % of the 999.97 BTC that you have.");
    assert.equal(await page.focused(), "confirm-no");
    await page.page.keyboard.press("Escape");
    await page.shows("#message", "Not placed.");
    assert.equal(await page.focused(), "place");
    assert.equal(await page.page.locator("#orders tr[data-open=true]").count(), 0);
    await page.page.keyboard.press("Enter");
    await page.page.click("#confirm-yes");
    await page.shows("#message", "Accepted stop-");
    assert.equal(await page.focused(), "place");
    await page.row("0 of 599.982", "Waiting");
    await page.page.click("#cancel-all");
    await page.shows("#confirm-says", "Cancel the open order of the account");
    await page.page.click("#confirm-yes");
    await page.shows("#message", "Canceled 1 order.");
  },
  "a bracket is canceled as a whole by the cancel of a leg": async () => {
    const prices = { entryPrice: "59000", profitPrice: "61000", stopPrice: "58000" };
    await page.place("OTOCO", { side: "BUY", quantity: "0.01", ...prices });
    await page.shows("#orders", "held until the entry is filled");
    await page.shows("#orders tr.list", "Bracket");
    const below = page.page.locator("#orders tr.list ~ tr.leg");
    const names = await below.evaluateAll((rows) => rows.map(({ dataset }) => dataset.id.split("-").at(-1)));
    assert.deepEqual(names, ["entry", "stop", "profit"]);
    await page.page.getByRole("button", { name: "Cancel list" }).click();
    await page.shows("#message", "with its list");
    await page.row("Stop", "Canceled");
  },
  "an order is changed in place, and what the change would do is said while it is entered": async () => {
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.07", stopPrice: "59000" });
    const id = await page.row("0 of 0.07", "Waiting");
    await page.change(id);
    assert.equal(await page.focused(), "change-quantity");
    await page.shows("#change-preview", "Nothing is changed yet");
    await page.shows("#change-yes[aria-disabled=true]", "Change");
    await page.page.fill("#change-stopPrice", "5x");
    assert.equal(await page.wrong("change-stopPrice"), "Enter a number, such as 0.5.");
    await page.page.fill("#change-stopPrice", "61000");
    await page.shows("#change-preview[data-tone=work]", "would act at once");
    await page.page.fill("#change-quantity", "0.0001");
    await page.shows("#change-preview[data-tone=bad]", "15 USD");
    await page.page.keyboard.press("Enter");
    await page.page.fill("#change-quantity", "0.08");
    await page.page.fill("#change-stopPrice", "58000");
    await page.shows("#change-preview[data-tone=good]", "59,000 → 58,000");
    await page.shows("#change-preview", "0.08 BTC/USD: sells when bid ≤ 58,000.00.");
    await page.page.keyboard.press("Enter");
    await page.shows("#message", `Changed ${id}.`);
    assert.equal(await page.row("sells when bid ≤ 58,000.00", "0 of 0.08"), id);
    await page.life(id, "Changed: quantity 0.07 → 0.08, stop price 59,000 → 58,000");
  },
  "a change whose order has acted meanwhile is not sent, and one that the service refuses stays":
    async () => {
      const id = await page.row("0 of 0.08", "Waiting");
      await page.change(id);
      await page.page.fill("#change-quantity", "0.09");
      await page.page.route("**/api/order?*", (route) =>
        route.fulfill({ status: 400, json: { code: -2038, msg: "Order amend rejected.", remedy: "Wait." } }),
      );
      await page.page.click("#change-yes");
      await page.shows("#change-preview[data-tone=bad]", "Wait.");
      assert.equal(await page.page.inputValue("#change-quantity"), "0.09");
      await page.page.unroute("**/api/order?*");
      await sandbox.quote("57000", "57001");
      await page.shows("#change-preview[data-tone=bad]", "The order has already ended");
      await page.shows("#change-yes[aria-disabled=true]", "Change");
      await page.page.click("#change-no");
      await sandbox.quote("60600", "60601");
      page.errors = page.errors.filter((text) => !text.includes("status of 400"));
    },
  "a level is dragged in the chart, and moved only when that is confirmed": async () => {
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.011", stopPrice: "60590" });
    const id = await page.row("0 of 0.011", "Waiting");
    await page.drag(id, 25);
    await page.shows("#change-preview", "60,590 → 60,");
    await page.shows("#change-preview", "sells when bid ≤ 60,");
    assert.equal(await page.focused(), "change-no");
    await page.page.keyboard.press("Escape");
    await page.row("sells when bid ≤ 60,590.00", "Waiting");
    await page.drag(id, -60);
    await page.shows("#change-preview", "would act at once");
    await page.page.click("#change-no");
    await page.drag(id, 25);
    await page.page.click("#change-yes");
    await page.shows("#message", `Changed ${id}.`);
    await page.page
      .locator(`#orders tr[data-id="${id}"]`)
      .filter({ hasText: "60,590.00" })
      .waitFor({ state: "detached" });
  },
  "a level is moved by tick with the keyboard": async () => {
    const id = await page.row("0 of 0.011", "Waiting");
    const handle = page.handle(id);
    const before = Number(await handle.getAttribute("aria-valuenow"));
    await handle.focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "PageDown"]) await page.page.keyboard.press(key);
    const moved = (before - 1.01).toFixed(2);
    assert.equal(Number(await handle.getAttribute("aria-valuenow")).toFixed(2), moved);
    await page.page.keyboard.press("Escape");
    assert.equal(Number(await handle.getAttribute("aria-valuenow")), before);
    await page.page.keyboard.press("ArrowDown");
    await page.page.keyboard.press("Enter");
    await page.shows("#change-preview", "sells when bid");
    if (pictures) await page.page.screenshot({ path: join(pictures, "moved.png") });
    await page.page.keyboard.press("Tab");
    await page.page.keyboard.press("Enter");
    await page.shows("#message", `Changed ${id}.`);
    await page.page.waitForFunction(
      ([element, wanted]) => Number(element.getAttribute("aria-valuenow")).toFixed(2) === wanted,
      [await handle.elementHandle(), (before - 0.01).toFixed(2)],
    );
    assert.equal(await handle.evaluate((each) => each === document.activeElement), true);
    await page.page.click("#cancel-all");
    await page.page.click("#confirm-yes");
    await page.row("0 of 0.011", "Canceled");
  },
  "the reason of a rejection is in its row, also after a reload": async () => {
    await page.page.locator(".market").filter({ hasText: "ETH/USD" }).click();
    await page.place("LIMIT_MAKER", { side: "SELL", quantity: "0.01", price: "2900" });
    await page.row("Post-only", "Waiting");
    await sandbox.quote("3000", "3001", "ETH/USD");
    const id = await page.row("Post-only", "it would have traded at once");
    await page.page.reload();
    await page.connect();
    assert.equal(await page.row("Post-only", "it would have traded at once"), id);
  },
  "an order opens at once with what is known, before its history has come": async () => {
    let answer;
    await page.page.route("**/journal", (route) =>
      new Promise((resolve) => (answer = resolve)).then(() => route.continue()),
    );
    await page.page.locator("#orders tr").filter({ hasText: "0.02 of 0.02" }).locator("button.name").click();
    await page.shows("#known", "0.02 at 60,600.00 on average");
    await page.shows("#life", "Reading the history");
    answer();
    await page.shows("#life", "Accepted");
    await page.page.unroute("**/journal");
    await page.page.click("#detail-close");
    const focused = await page.page.evaluate(() => document.activeElement.dataset.key);
    assert.match(focused, /^open -/);
  },
  "a refusal has code, field and remedy": async () => {
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0,1", stopPrice: "59000" });
    await page.shows("#message[data-tone=bad]", "-1100");
    assert.equal(await page.focused(), "place");
    assert.equal(await page.wrong("field-quantity"), "Enter a number, such as 0.5.");
    assert.equal(await page.page.inputValue("#field-quantity"), "0,1");
    // The message covers nothing, and what is wrong is said until it is changed.
    const [below, above] = await Promise.all(
      ["#message", "main"].map((each) => page.page.locator(each).boundingBox()),
    );
    assert.ok(above.y + above.height <= below.y);
    const details = await page.page.locator("#message dl").innerText();
    assert.match(details, /field\s+quantity/);
    assert.match(details, /remedy/);
  },
  "a field is right again when it is changed, and the message can be closed": async () => {
    await page.page.fill("#field-quantity", "0.1");
    assert.equal(await page.page.locator("[aria-invalid]").count(), 0);
    await page.page.click("#message-close");
    assert.equal(await page.page.isVisible("#message"), false);
  },
  "a list of a refused field marks the field of the form": async () => {
    await page.place("OCO", { side: "SELL", quantity: "0.01", profitPrice: "x", stopPrice: "59000" });
    await page.shows("#message[data-tone=bad]", "bovePrice");
    await page.wrong("field-profitPrice");
  },
  "the process is killed after a child was sent: the page reconnects, and the order was executed once":
    async () => {
      await page.page.selectOption("#crash", "after-submit");
      await page.page.click("#crash-set");
      await page.shows("#message", "Armed");
      await page.place("STOP_MARKET", { side: "SELL", quantity: "0.03", stopPrice: "60100" });
      await page.row("0 of 0.03", "Waiting");
      await sandbox.quote("60050", "60051").catch(() => undefined);
      assert.equal(await sandbox.ended, "SIGKILL");
      await page.shows("#state", "Reconnecting");
      await page.shows("#message", "cannot be reached");
      await sandbox.start();
      await page.shows("#state", "Live again");
      await page.page.locator("#message").waitFor({ state: "hidden" });
      const id = await page.row("0.03 of 0.03", "Filled");
      assert.match(await page.life(id, "Filled 0.03"), /arrived once/);
    },
  "a press of a button is not lost while other orders change, and is sent once": async () => {
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.05", stopPrice: "60000" });
    await page.row("0 of 0.05", "Waiting");
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.04", stopPrice: "50000" });
    await page.row("0 of 0.04", "Waiting");
    const row = page.page.locator("#orders tr").filter({ hasText: "0 of 0.04" });
    await row.getByRole("button", { name: "Cancel" }).hover();
    await page.page.mouse.down();
    await sandbox.quote("59990", "59991");
    await page.row("0.05 of 0.05", "Filled");
    await page.page.mouse.up();
    await page.row("0 of 0.04", "Canceled");
    await page.page.locator("#cancel-all").waitFor({ state: "hidden" });
  },
  "the life of an order is closed by a disconnect": async () => {
    await page.page.click("#disconnect");
    await page.connect();
    await page.row("0.05 of 0.05", "Filled");
    assert.equal(await page.page.isVisible("#detail"), false);
  },
  "after a reload the key is gone, and after connecting everything is there again": async () => {
    await page.page.reload();
    assert.equal(await page.page.isVisible("#connect"), true);
    await page.keepsNothing();
    await page.connect();
    await page.row("0.03 of 0.03", "Filled");
  },
  "a clock of the browser that is ten minutes slow changes neither the chart nor an expiry": async () => {
    const slow = new ConsolePage(await context.newPage(), sandbox.url);
    await slow.page.addInitScript(() => {
      const now = Date.now;
      Date.now = () => now() - 600_000;
    });
    await slow.open();
    await slow.connect();
    await slow.shows("#state", "Live");
    await sandbox.quote("60050", "60051");
    await slow.shows("#best", "bid 60,050.00");
    await slow.page.selectOption("#kind", "STOP_MARKET");
    await slow.page.click("#ticket summary");
    await slow.page.fill("#field-minutes", "5");
    await slow.page.click("#place");
    await slow.shows("#message", "Accepted stop-");
    await slow.page.click("#cancel-all");
    await slow.page.click("#confirm-yes");
    await slow.shows("#message", "Canceled 1 order.");
    await slow.page.close();
  },
  "a page that is opened later shows the trades from before": async () => {
    const late = new ConsolePage(await context.newPage(), sandbox.url);
    const time = Date.now();
    await late.page.route("**/compat/api/v3/trades?*", (route) =>
      route.fulfill({ json: [60, 30].map((seconds) => ({ time: time - seconds * 1_000, price: "60000" })) }),
    );
    await late.page.route("**/compat/api/v3/klines?*", (route) => route.fulfill({ json: [] }));
    await late.open();
    const oldest = new Date(time - 60_000).toTimeString().slice(0, 8);
    await late.chartSays(new RegExp(` from ${oldest}: `));
    await late.page.close();
  },
  "a market stream that is lost and found alone is live again": async () => {
    const other = new ConsolePage(await context.newPage(), sandbox.url);
    let market;
    let isReachable = true;
    await other.page.routeWebSocket("**/ws/liquidity", (socket) => {
      if (!isReachable) return socket.close({ code: 1012 });
      socket.connectToServer();
      market = socket;
    });
    await other.open();
    await other.connect();
    await other.shows("#message", "Connected to account 1");
    await other.shows("#place[aria-disabled=false]", "Sell");
    isReachable = false;
    await market.close({ code: 1012 });
    await other.shows("#state", "Reconnecting");
    await other.shows(".market.old", "s old");
    await other.shows("#best", "s old");
    await other.shows("#place[aria-disabled=true]", "Offline");
    await other.page.fill("#field-quantity", "0.123");
    await other.page.press("#field-quantity", "Enter");
    await other.shows("#message[data-tone=bad]", "Not placed: this page is offline");
    isReachable = true;
    await other.shows("#state", "Live");
    await other.page.locator(".market.old").first().waitFor({ state: "detached" });
    await other.shows("#place[aria-disabled=false]", "0.123");
    assert.equal(await other.page.inputValue("#field-quantity"), "0.123");
    await other.page.close();
  },
  "hostile texts are shown as text": async () => {
    await page.page.route("**/api/exchangeInfo", async (route) => {
      const info = await (await route.fetch()).json();
      await route.fulfill({
        json: { ...info, symbols: info.symbols.map((each) => ({ ...each, name: HOSTILE })) },
      });
    });
    await page.page.route("**/control/verify", (route) =>
      route.fulfill({
        status: 400,
        headers: { "Access-Control-Allow-Origin": sandbox.url },
        json: { error: HOSTILE },
      }),
    );
    await page.open();
    await page.shows("#markets", HOSTILE);
    await page.page.click("#verify");
    await page.shows("#message", HOSTILE);
    assert.deepEqual(
      await page.page.evaluate(() => [document.querySelectorAll("img").length, window.broken]),
      [0, undefined],
    );
    page.errors = page.errors.filter((text) => !text.includes("status of 400"));
  },
  "works with the keyboard alone": async () => {
    await page.page.unrouteAll();
    await page.open();
    await page.page.focus("#key");
    await page.page.keyboard.type("console-key");
    await page.page.keyboard.press("Tab");
    await page.page.keyboard.type("console-secret");
    await page.page.keyboard.press("Enter");
    await page.shows("#message", "Connected to account 1");
    assert.equal(await page.focused(), "kind");
    const { keyboard } = page.page;
    await keyboard.type("Stop");
    const key = () =>
      page.page.evaluate(() => document.activeElement.dataset.key ?? document.activeElement.id);
    const tabTo = async (wanted, step = "Tab") => {
      for (let count = 0; count < 80 && !(await key()).startsWith(wanted); count++)
        await keyboard.press(step);
      assert.ok((await key()).startsWith(wanted), `${step} does not lead to ${wanted}`);
    };
    await tabTo("field-quantity");
    await keyboard.type("0.06");
    await tabTo("field-stopPrice");
    await keyboard.type("50000");
    await tabTo("place");
    await keyboard.press("Enter");
    await page.row("0 of 0.06", "Waiting");
    const placed = page.page.locator("#orders tr").filter({ hasText: "0 of 0.06" }).locator(".name");
    await tabTo(await placed.getAttribute("data-key"), "Shift+Tab");
    await keyboard.press("Enter");
    await page.shows("#life", "Accepted");
    const opened = await key();
    await tabTo("cancel ", "Tab");
    await keyboard.press("Enter");
    await page.row("0 of 0.06", "Canceled");
    await page.page.waitForFunction((of) => document.activeElement.dataset.key === of, opened);
  },
  "axe-core finds nothing serious, in both themes and at both widths": async () => {
    await page.place("OTOCO", {
      side: "BUY",
      quantity: "0.01",
      entryPrice: "59000",
      profitPrice: "61000",
      stopPrice: "58000",
    });
    await page.shows("#orders", "held until the entry is filled");
    await page.page.locator("#orders .leg .name").first().click();
    await page.shows("#life", "Accepted");
    await page.page.click("#ticket summary");
    await sandbox.quote("60000", "60001");
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0.012", stopPrice: "59980" });
    const level = await page.row("0 of 0.012", "Waiting");
    await page.place("STOP_MARKET", { side: "SELL", quantity: "0,1", stopPrice: "59000" });
    await page.wrong("field-quantity");
    const found = [];
    for (const width of [1280, 390])
      for (const colorScheme of ["light", "dark"]) {
        await page.page.setViewportSize({ width, height: 844 });
        await page.page.emulateMedia({ colorScheme });
        found.push(...(await page.violations()).map((each) => `${colorScheme} ${width}: ${each}`));
        if (pictures) await page.picture(join(pictures, `${colorScheme}-${width}.png`));
        await page.page.click("#cancel-all");
        found.push(...(await page.violations()).map((each) => `${colorScheme} ${width}, asked: ${each}`));
        if (pictures)
          await page.page.screenshot({ path: join(pictures, `${colorScheme}-${width}-asked.png`) });
        await page.page.click("#confirm-no");
        await page.change(level);
        await page.page.fill("#change-stopPrice", "61000");
        await page.page.fill("#change-quantity", "x");
        await page.wrong("change-quantity");
        found.push(...(await page.violations()).map((each) => `${colorScheme} ${width}, changed: ${each}`));
        if (pictures)
          await page.page.screenshot({ path: join(pictures, `${colorScheme}-${width}-changed.png`) });
        await page.page.click("#change-no");
      }
    assert.deepEqual(found, []);
  },
  "fits on 390 pixels": async () => {
    await page.page.setViewportSize({ width: 390, height: 844 });
    const width = () =>
      [document.documentElement, document.querySelector("main")].map((each) => each.scrollWidth);
    assert.deepEqual(await page.page.evaluate(width), [390, 390]);
  },
  "the browser reported no error": async () => {
    assert.deepEqual(page.errors, []);
  },
};

const at = process.argv.indexOf("--pictures");
const pictures = at === -1 ? undefined : process.argv[at + 1];
let passed = 0;
let failed = 0;
try {
  for (const [name, act] of Object.entries(STEPS)) {
    try {
      await act();
      console.log(`ok ${name}`);
      passed++;
    } catch (error) {
      console.log(`FAIL ${name}: ${error instanceof Error ? error.message : error}`);
      failed++;
    }
    const path = pictures && join(pictures, `${passed + failed}.png`);
    if (path) await page.picture(path);
  }
} finally {
  await browser.close();
  await sandbox.stop();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
