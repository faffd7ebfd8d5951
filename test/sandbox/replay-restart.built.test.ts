import { expect, it } from "vitest";
import { csvFile } from "./csv-file.ts";
import { DrivenSandbox, MINUTE_MS, START_MS, SYMBOL } from "./driven-sandbox.ts";
import { QUOTE_HEADER, TRADE_HEADER } from "./recorded-day.ts";

const minute = (n: number): number => START_MS + n * MINUTE_MS;

it("after a SIGKILL no row of a replay is fed again: a used size stays used, no parent sees an earlier quote", async () => {
  const quotes = [0, 1, 2].map((n) => `${minute(n)},${SYMBOL},99,1,100,1`);
  const trades = [0, 1, 2].map((n) => `${minute(n)},${SYMBOL},100,0.5`);
  const sandbox = await DrivenSandbox.start({
    MARKET: `replay:${await csvFile("quotes.csv", [QUOTE_HEADER, ...quotes])},${await csvFile("trades.csv", [TRADE_HEADER, ...trades])}`,
  });
  const buy = { side: "BUY", type: "SYNTHETIC_LIMIT", price: "100" };
  const first = await sandbox.place({ ...buy, quantity: "2.5" });
  await sandbox.passTo(minute(1));
  // One by the quote that stood at its acceptance, one by the next.
  expect((await sandbox.order(first.orderId)).executedQty).toBe("2");
  const second = await sandbox.place({ ...buy, quantity: "0.25" });
  await sandbox.restart();
  await sandbox.control("POST", "settle", {});
  const executed = async (): Promise<readonly string[]> =>
    (await Promise.all([first, second].map(({ orderId }) => sandbox.order(orderId)))).map(
      ({ executedQty }) => executedQty,
    );
  expect(await executed()).toEqual(["2", "0"]);
  expect(await sandbox.control("GET", "metrics")).toMatchObject({ quotesCounted: 0, printsCounted: 0 });
  await sandbox.passTo(minute(2));
  expect(await executed()).toEqual(["2.5", "0.25"]);
  expect(await sandbox.control("GET", "metrics")).toMatchObject({ quotesCounted: 1 });
});

it("twenty advances of 100 ms at once are two seconds", async () => {
  const sandbox = await DrivenSandbox.start();
  await Promise.all(Array.from({ length: 20 }, () => sandbox.pass(100)));
  expect(await sandbox.nowMs()).toBe(START_MS + 2_000);
});
