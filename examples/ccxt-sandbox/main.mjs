/**
 * A bot on ccxt that trades on the sandbox: only the base address and the key differ from what it has today. The stop is
 * a managed order: the service watches the price, also while the bot is not running.
 */
import ccxt from "ccxt";

const {
  SANDBOX_URL = "http://127.0.0.1:8080",
  CONTROL_URL = "http://127.0.0.1:8081",
  SANDBOX_API_KEY = "ccxt-key",
  SANDBOX_API_SECRET = "ccxt-secret",
} = process.env;
const SYMBOL = "ETH/USD";

const exchange = new ccxt.binance({
  apiKey: SANDBOX_API_KEY,
  secret: SANDBOX_API_SECRET,
  // Without these options, ccxt asks for futures, margin pairs and currencies at other addresses.
  options: { fetchMarkets: { types: ["spot"] }, fetchCurrencies: false, fetchMargins: false },
});
exchange.urls.api.public = `${SANDBOX_URL}/compat/api/v3`;
exchange.urls.api.private = `${SANDBOX_URL}/compat/api/v3`;

/** Sets the prices of the sandbox. It answers when all work that follows is done. */
async function quote(bid, ask) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ symbol: SYMBOL, bid, ask });
  const reply = await fetch(`${CONTROL_URL}/control/quotes`, { method: "POST", headers, body });
  if (!reply.ok) throw new Error(`quotes: ${reply.status} ${await reply.text()}`);
}

function show(what, { type, side, status, filled, amount, average }) {
  const at = average === undefined ? "" : ` at ${average}`;
  console.log(`${what}: ${type} ${side} ${status}, ${filled} of ${amount} filled${at}`);
}

await quote("3000", "3001");
const { bid, ask } = await exchange.fetchTicker(SYMBOL);
console.log(`${SYMBOL}: bid ${bid}, ask ${ask}`);

show("entry", await exchange.createOrder(SYMBOL, "market", "buy", 0.5));

const stop = await exchange.createOrder(SYMBOL, "market", "sell", 0.5, undefined, { stopLossPrice: 2900 });
show("stop", stop);
console.log("open orders:", (await exchange.fetchOpenOrders(SYMBOL)).length);

await quote("2899", "2900");
show("stop, after the bid has fallen to 2899", await exchange.fetchOrder(stop.id, SYMBOL));
const trades = await exchange.fetchOrderTrades(stop.id, SYMBOL);
console.log("trades of the stop:", trades.map(({ amount, price }) => `${amount} at ${price}`).join(", "));

const trailing = { trailingDelta: 500 };
const { id } = await exchange.createOrder(SYMBOL, "STOP_LOSS", "sell", 0.5, undefined, trailing);
show("trailing stop, canceled", await exchange.cancelOrder(id, SYMBOL));

try {
  await exchange.createOrder(SYMBOL, "market", "sell", 0.001, undefined, { stopLossPrice: 2800 });
} catch (error) {
  console.log(`a stop that is too small: ${error.name}: ${error.message}`);
}
