/**
 * What Hermes lacks without React Native, as far as the program needs it, and replies in place of a network. Hermes reads
 * this file without Babel: it knows no classes and no async functions.
 */
globalThis.TextEncoder = function TextEncoder() {};
globalThis.TextEncoder.prototype.encode = (text) => {
  const bytes = unescape(encodeURIComponent(text));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
};
globalThis.AbortController = function AbortController() {
  const listeners = [];
  this.signal = {
    aborted: false,
    addEventListener: (_type, listener) => listeners.push(listener),
    removeEventListener: (_type, listener) => listeners.splice(listeners.indexOf(listener), 1),
  };
  this.abort = () => {
    this.signal.aborted = true;
    for (const listener of listeners.slice()) listener();
  };
};

/** The timers of Hermes alone do not wait, so that every reply would be late. No time passes here. */
globalThis.setTimeout = () => 0;
globalThis.clearTimeout = () => undefined;

/** Answers requests as the service does: the clock, a placement, and the look-up of what was placed. */
function scriptedFetch() {
  let placed;
  const answers = {
    "/api/time": () => ({ serverTime: Date.now() }),
    "/api/order": ({ body }) => {
      placed = JSON.parse(body);
      return orderOf(placed);
    },
    "/api/v2/order": () => orderOf(placed),
  };
  return (url, request) => {
    const [, path] = /^https?:\/\/[^/]+([^?]*)/.exec(url);
    const text = JSON.stringify(answers[path](request));
    const reply = { status: 200, headers: { get: () => null }, text: () => Promise.resolve(text) };
    return Promise.resolve(reply);
  };
}

const ORDER = {
  ...{ instrumentId: 1, account: 1, accountId: 1, orderId: -284, orderListId: -1, origQty: "0.001" },
  ...{
    executedQty: "0",
    cummulativeQuoteQty: "0",
    avgPrice: "0",
    timeInForce: "GTC",
    childTimeInForce: "IOC",
  },
  ...{ reduceOnly: false, status: "NEW", apiState: "WAITING", apiManaged: true, held: false },
  ...{ cancelPending: false, transactTime: 1795417942713, updateTime: 1795417942713 },
};

const orderOf = ({ newClientOrderId, ...fields }) => ({
  ...ORDER,
  ...fields,
  clientOrderId: newClientOrderId,
  clOrdId: newClientOrderId,
});

/** Runs steps of the program of the bundle, which follows, and prints them. */
globalThis.run = (access, steps) =>
  globalThis
    .program({ ...access, fetch: scriptedFetch() }, steps)
    .then((done) => globalThis.print(JSON.stringify(done)));
