export { Activity } from "./activity.ts";
export { ACCOUNT_ID, createTrader } from "./create-trader.ts";
export { QuoteListeners } from "./quote-listeners.ts";
export type { NativeOrderRequest, Strategy, Trader, TraderEvents } from "./trader.ts";
