/** The console page in a browser, as a person uses it. Every step waits for what the page shows, never for a time. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { KEY, SECRET } from "./sandbox.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export class ConsolePage {
  /** Texts of errors, and of refusals of the Content-Security-Policy, in the console of the browser. */
  errors = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(30_000);
    page.on("pageerror", ({ message }) => this.errors.push(message));
    page.on("console", (message) => {
      // While the sandbox is killed, connections fail.
      if (message.type() === "error" && !/ERR_CONNECTION|WebSocket connection/.test(message.text()))
        this.errors.push(message.text());
    });
  }

  async open() {
    await this.page.goto(`${this.url}/`);
    await this.shows("#markets", "BTC/USD");
  }

  async connect(secret = SECRET) {
    await this.page.fill("#key", KEY);
    await this.page.fill("#secret", secret);
    await this.page.click("#connect button");
  }

  /** Fills the form of a kind, field by field, and places it. */
  async place(kind, fields) {
    await this.page.selectOption("#kind", kind);
    for (const [name, value] of Object.entries(fields)) {
      if (name === "side") await this.page.check(`#field-side-${value}`);
      else await this.page.fill(`#needs [name=${name}]`, value);
    }
    await this.page.click("#place");
  }

  /** Opens the dialog in which an order is changed. */
  async change(id) {
    await this.page.getByRole("button", { name: `Change ${id}` }).click();
    await this.page.locator("#change[open]").waitFor();
  }

  /** Returns the handle of the level of an order. */
  handle(id) {
    return this.page.getByRole("slider", { name: id });
  }

  /** Drags the level of an order by some pixels downwards. */
  async drag(id, by) {
    const handle = this.handle(id);
    await handle.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await handle.boundingBox();
    const [left, top] = [x + width / 2, y + height / 2];
    await this.page.mouse.move(left, top);
    await this.page.mouse.down();
    await this.page.mouse.move(left, top + by, { steps: 5 });
    await this.page.mouse.up();
    await this.page.locator("#change[open]").waitFor();
  }

  /** Waits until an element contains a text. */
  async shows(selector, text) {
    await this.page.locator(selector).filter({ hasText: text }).first().waitFor();
  }

  /** Waits until the chart says something to a screen reader. */
  async chartSays(pattern) {
    await this.page.getByRole("group", { name: pattern }).and(this.page.locator("#chart")).waitFor();
  }

  /** Returns where the pointer is over something in the chart that has a text, the newest time first. */
  async inChart(text) {
    const chart = this.page.locator("#chart");
    await chart.hover();
    const place = await chart.evaluate((box, wanted) => {
      const { left, right, top, bottom } = box.getBoundingClientRect();
      for (let x = right - 82; x > left; x -= 4)
        for (let y = top + 4; y < bottom - 30; y += 4) {
          const event = { clientX: x, clientY: y, bubbles: true };
          document.elementFromPoint(x, y).dispatchEvent(new MouseEvent("mousemove", event));
          if (box.title === wanted) return { x, y };
        }
      return undefined;
    }, text);
    assert.ok(place, `the chart does not show ${text}`);
    return place;
  }

  /** Returns the id of the element that has the focus. */
  focused() {
    return this.page.evaluate(() => document.activeElement?.id);
  }

  /** Returns what is said to be wrong with a field, as a screen reader finds it. */
  async wrong(id) {
    const field = this.page.locator(`#${id}[aria-invalid=true]`);
    await field.waitFor();
    return await this.page.locator(`#${await field.getAttribute("aria-describedby")}`).innerText();
  }

  /** Returns what axe-core finds serious or critical. */
  async violations() {
    // The policy of the page allows no script of others: this one is not loaded by the page.
    await this.page.evaluate(AXE);
    const { violations, passes } = await this.page.evaluate(() => globalThis.axe.run());
    assert.ok(passes.length > 10, `only ${passes.length} rules passed`);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ""}`).join("; ")}`,
      );
  }

  /** Takes a picture of the whole page, whose middle scrolls by itself. */
  async picture(path) {
    const size = this.page.viewportSize();
    const hidden = () => {
      const main = document.querySelector("main");
      return main.scrollHeight - main.clientHeight;
    };
    await this.page.setViewportSize({ ...size, height: size.height + (await this.page.evaluate(hidden)) });
    await this.page.screenshot({ path });
    await this.page.setViewportSize(size);
  }

  /** Waits for the row of the order with a type and status; returns its client id. */
  async row(type, status) {
    const row = this.page.locator("#orders tr").filter({ hasText: type }).filter({ hasText: status }).first();
    await row.waitFor();
    return await row.getAttribute("data-id");
  }

  /** Opens the life of an order, and waits for a text in it. */
  async life(id, text) {
    await this.page.click(`#orders tr[data-id="${id}"] button.name`);
    await this.shows("#life", text);
    return await this.page.locator("#children").innerText();
  }

  /** Everything that a page could keep beyond a reload is empty, and the address has no secret. */
  async keepsNothing() {
    const kept = await this.page.evaluate(() => [
      ...[localStorage.length, sessionStorage.length, document.cookie, location.href],
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll("input")].map(({ value }) => value),
    ]);
    assert.deepEqual(kept.slice(0, 4), [0, 0, "", `${this.url}/`]);
    assert.equal(
      kept.slice(4).some((text) => text.includes(SECRET)),
      false,
    );
  }
}
