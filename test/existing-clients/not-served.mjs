/** Why a route of the convention is not served, by path. Every method of a client that calls it has this reason. */
export const NOT_SERVED = {
  ticker: "The only window is that of the last day: ticker/24hr.",
  "ticker/tradingDay": "The only window is that of the last day: ticker/24hr.",
  userDataStream:
    "There are no listen keys. Subscribe on /compat/ws-api/v3 with userDataStream.subscribe.signature instead.",
  "session.logon": "Every message authenticates itself: this client signs each request with an HMAC key.",
  "order/amendments": "The records of a managed order have its amends.",
  "sor/order": "There is no smart order routing.",
  "sor/order/test": "There is no smart order routing.",
  "orderList/opo": "The contract has no OPO lists.",
  "orderList/opoco": "The contract has no OPO lists.",
  "rateLimit/order": "The order counts are in the headers of every reply to a placement.",
  "account/commission": "The service does not know the commissions of its host.",
  myPreventedMatches: "There is no self-trade prevention.",
  myAllocations: "There is no smart order routing.",
  myFilters: "No filter applies to a single account.",
  executionRules: "There are no execution rules.",
  referencePrice: "There is no reference price.",
  "referencePrice/calculation": "There is no reference price.",
  historicalBlockTrades: "There are no block trades.",
};
