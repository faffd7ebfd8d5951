import assert from "node:assert/strict";
import binance from "binance";
import {
  hasBalance,
  hasOrder,
  isBook,
  isList,
  isMarket,
  isOrder,
  ORDERS,
  OTO,
  OTOCO,
  PAIR,
  SYMBOL,
} from "../checks.mjs";

const { MainClient } = binance;

export const name = "binance";
export const setup = '`new MainClient({ api_key, api_secret, baseUrl: url + "/compat" })`';

export const open = ({ url, key, secret }) =>
  new MainClient({ api_key: key, api_secret: secret, baseUrl: `${url}/compat` });

const place = (client, order) =>
  client.submitNewOrder({
    symbol: SYMBOL,
    ...order,
    newClientOrderId: client.generateNewOrderId(),
    newOrderRespType: "FULL",
  });
const placed = (client) => place(client, ORDERS.STOP_LOSS);
const pair = (client) => client.submitNewOrderList({ symbol: SYMBOL, ...PAIR });

export const cases = {
  testConnectivity: async (client) => assert.deepEqual(await client.testConnectivity(), {}),
  getExchangeInfo: async (client) => isMarket(await client.getExchangeInfo({ symbols: [SYMBOL] })),
  getOrderBook: async (client) => isBook(await client.getOrderBook({ symbol: SYMBOL, limit: 5 })),
  getAvgPrice: async (client) => assert.ok(Number((await client.getAvgPrice({ symbol: SYMBOL })).price) > 0),
  get24hrChangeStatistics: async (client) =>
    assert.equal((await client.get24hrChangeStatistics({ symbol: SYMBOL })).symbol, SYMBOL),
  getSymbolPriceTicker: async (client) =>
    assert.equal((await client.getSymbolPriceTicker({ symbols: [SYMBOL] }))[0].symbol, SYMBOL),
  getSymbolOrderBookTicker: async (client) =>
    assert.equal(Number((await client.getSymbolOrderBookTicker({ symbol: SYMBOL })).askPrice), 60_001),
  testNewOrder: async (client) =>
    assert.deepEqual(await client.testNewOrder({ symbol: SYMBOL, ...ORDERS.LIMIT }), {}),
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `submitNewOrder (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  "submitNewOrder (MARKET)": async (client) =>
    isOrder(await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" }), {
      type: "MARKET",
      status: "FILLED",
    }),
  getOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.getOrder({ symbol: SYMBOL, orderId }), { type: "STOP_LOSS" });
  },
  cancelOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.cancelOrder({ symbol: SYMBOL, orderId }), { type: "STOP_LOSS", status: "CANCELED" });
  },
  getOpenOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.getOpenOrders({ symbol: SYMBOL }), clientOrderId);
  },
  getAllOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.getAllOrders({ symbol: SYMBOL }), clientOrderId);
  },
  cancelAllSymbolOrders: async (client) => {
    await placed(client);
    assert.ok((await client.cancelAllSymbolOrders({ symbol: SYMBOL })).length > 0);
    assert.deepEqual(await client.getOpenOrders({ symbol: SYMBOL }), []);
  },
  submitNewOCO: async (client) =>
    isList(
      await client.submitNewOCO({
        ...{ symbol: SYMBOL, side: "SELL", quantity: "0.001", price: "70000", stopPrice: "50000" },
      }),
      2,
    ),
  submitNewOrderList: async (client) => isList(await pair(client), 2),
  submitNewOrderListOTO: async (client) =>
    isList(await client.submitNewOrderListOTO({ symbol: SYMBOL, ...OTO }), 2),
  submitNewOrderListOTOCO: async (client) =>
    isList(await client.submitNewOrderListOTOCO({ symbol: SYMBOL, ...OTOCO }), 3),
  getOCO: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.getOCO({ orderListId }), 2);
  },
  cancelOCO: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.cancelOCO({ symbol: SYMBOL, orderListId }), 2);
  },
  getAllOCO: async (client) => assert.ok((await client.getAllOCO()).length > 0),
  getAllOpenOCO: async (client) => assert.ok(Array.isArray(await client.getAllOpenOCO())),
  getAccountInformation: async (client) => hasBalance((await client.getAccountInformation()).balances),
  getAccountTradeList: async (client) => {
    await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" });
    const trades = await client.getAccountTradeList({ symbol: SYMBOL });
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
};

export const cannot = {
  getServerTime:
    "The client always sends this request to the exchange, even if baseUrl names another server.",
  getKlines: "klines",
  getUIKlines: "uiKlines",
  getRecentTrades: "trades",
  getHistoricalTrades: "historicalTrades",
  getHistoricalBlockTrades: "historicalBlockTrades",
  getAggregateTrades: "aggTrades",
  getRollingWindowTicker: "ticker",
  getTradingDayTicker: "ticker/tradingDay",
  replaceOrder: "order/cancelReplace",
  submitNewSOROrder: "sor/order",
  testNewSOROrder: "sor/order/test",
  submitNewOrderListOPO: "orderList/opo",
  submitNewOrderListOPOCO: "orderList/opoco",
  getOrderRateLimit: "rateLimit/order",
  getCommissionRates: "account/commission",
  getPreventedMatches: "myPreventedMatches",
  getAllocations: "myAllocations",
  getExecutionRules: "executionRules",
  getReferencePrice: "referencePrice",
  getReferencePriceCalculation: "referencePrice/calculation",
  getSpotUserDataListenKey: "userDataStream",
  keepAliveSpotUserDataListenKey: "userDataStream",
  closeSpotUserDataListenKey: "userDataStream",
};
