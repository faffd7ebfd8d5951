/** Calls that do not compile, by the mistake in them. Each is a separate module. */
export const WRONG: Readonly<Record<string, string>> = {
  "a stop without its price": `orderIntent({ ...btc, type: "STOP_MARKET" })`,
  "a field that the type does not take": `orderIntent({ symbol: "BTC/USD", side: "SELL", quantity: "0.5", type: "STOP_MARKET", stopPrice: "1", price: "1" })`,
  "a misspelt field": `orderIntent({ symbol: "BTC/USD", side: "SELL", quantity: "0.5", type: "STOP_MARKET", stopprice: "59500" })`,
  "a misspelt type": `orderIntent({ ...btc, type: "STOP_MARKT", stopPrice: "59500" })`,
  "a number for a decimal": `orderIntent({ ...btc, type: "STOP_MARKET", stopPrice: 59500 })`,
  "a side in small letters": `orderIntent({ ...btc, side: "buy", type: "STOP_MARKET", stopPrice: "59500" })`,
  "a plain LIMIT": `orderIntent({ ...btc, type: "LIMIT", price: "59500" })`,
  "a MARKET": `orderIntent({ ...btc, type: "MARKET" })`,
  "a trailing stop without a distance": `orderIntent({ ...btc, type: "TRAILING_STOP" })`,
  "two distances": `orderIntent({ ...btc, type: "TRAILING_STOP", trailingDelta: 200, trailingAmount: "800" })`,
  "a trailing stop-limit without a limit": `orderIntent({ ...btc, type: "TRAILING_STOP_LIMIT", trailingDelta: 200 })`,
  "a TWAP without a number of slots": `orderIntent({ ...btc, type: "TWAP", interval: 60_000 })`,
  "a unit in a duration": `orderIntent({ ...btc, type: "TWAP", interval: "60s", intervalCount: 4 })`,
  "a bracket whose stop is a limit": `bracket({ ...trade, stopLoss: { type: "LIMIT", price: "58500" } })`,
  "a leg without its price": `bracket({ ...trade, stopLoss: { type: "STOP_LOSS" } })`,
  "a bracket without a stop": `bracket({ ...trade })`,
  "an iceberg in a pair": `oco({ ...trade, side: "SELL", takeProfit: { type: "ICEBERG", price: "63000" } })`,
  "a number in a quote": `previewOrder({ ...btc, type: "LIMIT_MAKER", price: "1" }, { quote: { bid: 1, ask: "2" } })`,
  "an unknown option of a preview": `previewOrder({ ...btc, type: "LIMIT_MAKER", price: "1" }, { minimum: 15 })`,
  "an order of an engine": `engine.place({ accountId: 1, order: { ...btc, type: "LIMIT_MAKER" } })`,
  "an order of an account": `engine.account(1).place({ ...btc, type: "STOP_MARKET" })`,
  "an engine without a venue": `openEngine(noVenue)`,
  "a misspelt setting": `openEngine({ ...options, settings: { advancedOrder: true } })`,
  "a unit in a setting": `openEngine({ ...options, settings: { quoteMaxAgeMs: "5s" } })`,
  "a venue that answers nothing": `openEngine({ ...options, venue: { ...venue, submit: async () => undefined } })`,
  "an event that there is not": `engine.events.on("filled", () => undefined)`,
  "an account as text": `engine.place({ accountId: "1", order: { ...btc, type: "LIMIT_MAKER", price: "1" } })`,
};

/** Calls that compile. */
export const RIGHT: readonly string[] = [
  `orderIntent({ ...btc, type: "STOP", stopPrice: "59500", reduceOnly: true, expireTime: 1_790_000_000_000 })`,
  `orderIntent({ ...btc, type: "LIMIT", price: "59500", timeInForce: "GTX" })`,
  `orderIntent({ ...btc, type: "LIMIT", price: "59500", goodTillDate: 1_790_000_000_000, icebergQty: "0.1" })`,
  `orderIntent({ ...btc, type: "LIMIT", targetStrategy: 1_000_004, price: "59500", participationBips: 500 })`,
  `orderIntent({ ...btc, type: "TRAILING_STOP_LIMIT", price2: "2.5", limitOffset: "25", stopPrice: "59500" })`,
  `orderIntent(Math.random() > 0.5 ? { ...btc, type: "VWAP" } : { ...btc, type: "POV", participationBips: 500 })`,
  `oto({ ...list, working: { ...size, type: "ICEBERG", price: "1", icebergQty: "0.1" }, pending: { ...size, ...stop } })`,
  `oco({ ...list, ...size, takeProfit: { type: "TAKE_PROFIT", trailingDelta: 200 }, stopLoss: stop })`,
  `bracket({ ...trade, stopLoss: { ...stop, trailingDelta: 200, newClientOrderId: "mine" }, expireTime: 1 })`,
  `engine.place({ accountId: 1, order: fields })`,
  `engine.account(1).place(fields)`,
  `openEngine({ ...noVenue, venue: { ...venue, submit: (child, { deadlineMs, signal }) => venue.submit(child, { deadlineMs, signal }) } })`,
  `engine.events.on("fill", ({ orderId, clientOrderId, accountId, childId, fill }) => [orderId, clientOrderId, accountId, childId, fill])()`,
  `previewOrder(fields, { quote: { bid: "1", ask: "2" }, position: "-0.5" }).refusal?.toBody()`,
];

/** Makes a module of a call. */
export const moduleOf = (call: string): string => `
import { bracket, oco, orderIntent, oto, previewOrder, type OrderFields } from "managed-orders";
import { type Engine, type EngineOptions, openEngine } from "managed-orders/engine";

declare const engine: Engine;
declare const options: EngineOptions;
const { venue, ...noVenue } = options;
declare const fields: OrderFields;
const size = { side: "SELL", quantity: "0.5" } as const;
const btc = { symbol: "BTC/USD", ...size } as const;
const list = { symbol: "BTC/USD", listClientOrderId: "trade-7" } as const;
const [profit, stop] = [{ type: "LIMIT", price: "63000" }, { type: "STOP_LOSS", stopPrice: "58500" }] as const;
const trade = { ...list, quantity: "0.5", entry: { side: "BUY", type: "LIMIT", price: "60000" }, takeProfit: profit } as const;
export const all = [bracket, oco, orderIntent, oto, previewOrder, openEngine, engine, noVenue, venue, fields, btc, trade, stop];
${call};
`;
