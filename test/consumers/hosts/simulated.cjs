/** A backtest under fake timers of a test framework: it must end, and the stop must have sold. */
module.exports = async function simulated() {
  const { simulate } = require("managed-orders/simulator");
  const quote = (timeMs, bid, ask) => ({ kind: "quote", timeMs, symbol: "BTC/USD", bid, ask });
  const { balances } = await simulate({
    symbols: ["BTC/USD"],
    market: [quote(0, "60000", "60001"), quote(1_000, "59000", "59001")],
    balances: { USD: "0", BTC: "1" },
    strategy: ({ account }) =>
      account.place({
        symbol: "BTC/USD",
        side: "SELL",
        type: "STOP_MARKET",
        quantity: "1",
        stopPrice: "59500",
      }),
  });
  if (balances.USD !== "59000") throw new Error(`the balances are ${JSON.stringify(balances)}`);
};
