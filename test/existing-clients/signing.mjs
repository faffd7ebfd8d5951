/**
 * Prints the table of signing beside other packages: `npm run program -- signing`. It is a bench: nothing of it is a test.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import ccxt from "ccxt";
import { CREDENTIALS, printSigning } from "../../node_modules/.cache/signing.mjs";
import { sign } from "../../node_modules/.cache/signing-portable.mjs";

const { apiKey, secret } = CREDENTIALS;
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

const exchange = new ccxt.binance({ apiKey, secret, enableRateLimit: false });
const ofCcxt = (parameters) => exchange.sign("order", "private", "POST", parameters).body;

/** The connector hands each signed request to axios; here it is kept in place of being sent. */
const require = createRequire(createRequire(import.meta.url).resolve("@binance/connector"));
let sent;
require("axios").create = () => ({
  request: (request) => {
    sent = request;
  },
});
const { Spot } = require("@binance/connector");
const spot = new Spot(apiKey, secret);
const ofConnector = (parameters) => {
  spot.signRequest("POST", "/api/v3/order", parameters);
  return sent.url.slice(sent.url.indexOf("?") + 1);
};

for (const signed of [ofCcxt, ofConnector]) {
  const text = signed({ symbol: "BTC/USD", side: "BUY", newClientOrderId: "a" });
  const [query, signature] = text.split("&signature=");
  assert.equal(createHmac("sha256", secret).update(query).digest("hex"), signature);
}

const versioned = (name) => `${name} ${dependencies[name]}`;
const others = {
  ccxt: { name: `${versioned("ccxt")}, \`binance.sign\``, sign: ofCcxt },
  connector: { name: `${versioned("@binance/connector")}, \`signRequest\` without axios`, sign: ofConnector },
};
console.log(
  `Node.js ${process.version}, ${cpus().length} cores. Ratios hold within this run; figures alone do not.`,
);
await printSigning(others, sign);
