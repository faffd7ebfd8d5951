import assert from "node:assert/strict";

export const SYMBOL = "BTCUSD";

/** Orders far from the market, by the type that a client sends. Values are those of POST order. */
export const ORDERS = {
  LIMIT: { side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.001", price: "50000" },
  LIMIT_MAKER: { side: "BUY", type: "LIMIT_MAKER", quantity: "0.001", price: "50000" },
  STOP_LOSS: { side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" },
  STOP_LOSS_LIMIT: {
    ...{ side: "SELL", type: "STOP_LOSS_LIMIT", timeInForce: "GTC" },
    ...{ quantity: "0.001", price: "49900", stopPrice: "50000" },
  },
  TAKE_PROFIT: { side: "SELL", type: "TAKE_PROFIT", quantity: "0.001", stopPrice: "70000" },
  TAKE_PROFIT_LIMIT: {
    ...{ side: "SELL", type: "TAKE_PROFIT_LIMIT", timeInForce: "GTC" },
    ...{ quantity: "0.001", price: "69900", stopPrice: "70000" },
  },
  "STOP_LOSS with trailingDelta": { side: "SELL", type: "STOP_LOSS", quantity: "0.001", trailingDelta: 500 },
  "TAKE_PROFIT with trailingDelta and stopPrice": {
    ...{ side: "SELL", type: "TAKE_PROFIT", quantity: "0.001" },
    ...{ trailingDelta: 500, stopPrice: "70000" },
  },
  "STOP_LOSS_LIMIT with trailingDelta": {
    ...{ side: "SELL", type: "STOP_LOSS_LIMIT", timeInForce: "GTC" },
    ...{ quantity: "0.001", price: "49900", trailingDelta: 500 },
  },
  "LIMIT with icebergQty": {
    ...{ side: "BUY", type: "LIMIT", timeInForce: "GTC" },
    ...{ quantity: "0.002", price: "50000", icebergQty: "0.001" },
  },
};

/** An OCO pair around the market. */
export const PAIR = {
  ...{ side: "SELL", quantity: "0.001" },
  ...{ aboveType: "LIMIT_MAKER", abovePrice: "70000", belowType: "STOP_LOSS", belowStopPrice: "50000" },
};

/** An entry with one exit, and with a pair of exits. */
export const ENTRY = {
  ...{ workingType: "LIMIT", workingSide: "BUY", workingPrice: "50000", workingQuantity: "0.001" },
  ...{ workingTimeInForce: "GTC", pendingSide: "SELL", pendingQuantity: "0.001" },
};
export const OTO = { ...ENTRY, pendingType: "STOP_LOSS", pendingStopPrice: "45000" };
export const OTOCO = {
  ...ENTRY,
  ...{ pendingAboveType: "TAKE_PROFIT", pendingAboveStopPrice: "70000" },
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "45000" },
};

/** Checks an order as POST, GET and DELETE order answer it, and returns it. */
export function isOrder(order, { type, status = "NEW" }) {
  assert.equal(order.symbol, SYMBOL);
  assert.equal(order.type, type.split(" ")[0]);
  assert.equal(order.status, status);
  assert.match(String(order.orderId), /^-?[0-9]+$/);
  assert.match(order.origQty, /^0\.00[12]$/);
  assert.equal(order.selfTradePreventionMode, "NONE");
  return order;
}

export function isList(list, legs) {
  assert.equal(list.symbol, SYMBOL);
  assert.ok(list.orderListId < 0);
  assert.equal(list.orders.length, legs);
  return list;
}

export function isMarket(info) {
  const market = info.symbols.find(({ symbol }) => symbol === SYMBOL);
  assert.equal(market.status, "TRADING");
  assert.equal(market.baseAsset, "BTC");
  assert.ok(market.filters.some(({ filterType }) => filterType === "LOT_SIZE"));
}

export function isBook({ lastUpdateId, bids, asks }) {
  assert.equal(typeof lastUpdateId, "number");
  assert.equal(Number(bids[0][0]), 60_000);
  assert.equal(Number(asks[0][0]), 60_001);
}

export function isTime(serverTime) {
  assert.ok(Math.abs(Number(serverTime) - Date.now()) < 60_000);
}

export function hasBalance(balances) {
  const usd = balances.find(({ asset }) => asset === "USD");
  assert.ok(Number(usd.free) > 0);
}

/** Checks that an array has orders of one market, and among them the one with a client id. */
export function hasOrder(orders, clientOrderId) {
  assert.ok(Array.isArray(orders));
  assert.ok(orders.every(({ symbol }) => symbol === SYMBOL));
  assert.ok(orders.some((order) => order.clientOrderId === clientOrderId));
}

let made = 0;

/** Returns a client id that no other order has. */
export const newId = () => `x-test-${process.pid}-${++made}`;
