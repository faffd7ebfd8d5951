import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { openNativeWorld } from "../../support/native-world.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  openWorld,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;

/** The refusal of a body that is sent as it is. */
async function reportedOf(
  world: ServiceWorld,
  json: string,
  path = "/api/order",
): Promise<readonly unknown[]> {
  const { body } = await call(world, "POST", path, { key, query: { nonce: world.nonce() }, body: json });
  return [body.code, body.msg, body.error];
}

const order = (fields: Record<string, unknown> = {}): string => JSON.stringify({ ...FAR_LIMIT, ...fields });

const invalid = (field: string): string => `Data sent for parameter '${field}' is not valid.`;

describe("a remedy names the mistake; the text of the convention stays", () => {
  it.each([
    [
      "a fraction as a JSON number",
      { price: 30000.5 },
      -1100,
      "Illegal characters found in parameter 'price'; legal range is 'a decimal in quotes, or a whole number'.",
      "put it in quotes, such as",
    ],
    ["a decimal without quotes", { price: 30000 }, -1130, invalid("price"), "put it in quotes"],
    [
      "an integer in quotes",
      { trailingDelta: "5" },
      -1130,
      invalid("trailingDelta"),
      "send it without quotes",
    ],
    ["a boolean in quotes", { reduceOnly: "true" }, -1130, invalid("reduceOnly"), "send it without quotes"],
    [
      "a client id without quotes",
      { newClientOrderId: 17 },
      -1130,
      invalid("newClientOrderId"),
      "put it in quotes",
    ],
    [
      "a misspelt name",
      { newClientOrderID: "a" },
      -1104,
      /^Not all sent parameters were read; read '[0-9]+' parameter\(s\) but was sent '[0-9]+'\.$/,
      "Did you mean 'newClientOrderId'?",
    ],
    [
      "an expiry in seconds",
      { expireTime: Math.floor(START_MS / 1_000) + 600 },
      -1130,
      invalid("expireTime"),
      "Send the expiry in milliseconds; this looks like seconds.",
    ],
    [
      "an expiry in the past under its other name",
      { goodTillDate: START_MS },
      -1130,
      invalid("goodTillDate"),
      "Send an expiry in the future, in epoch milliseconds.",
    ],
    [
      "an expiry in the past",
      { expireTime: START_MS },
      -1130,
      invalid("expireTime"),
      "Send an expiry in the future, in epoch milliseconds.",
    ],
    [
      "a display quantity below the minimum",
      { icebergQty: "0.001" },
      -1013,
      "Filter failure: NOTIONAL",
      "display quantity",
    ],
    [
      "slices below the minimum",
      { type: "TWAP", price: undefined, interval: 60_000, intervalCount: 100 },
      -1013,
      "Filter failure: NOTIONAL",
      "smallest slice",
    ],
  ])("%s", async (_mistake, fields, code, msg, advice) => {
    const world = await openWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "7400", ask: "7500" });
    const [seenCode, seenMsg, error] = await reportedOf(world, order(fields));
    expect([seenCode, seenMsg]).toEqual([code, typeof msg === "string" ? msg : expect.stringMatching(msg)]);
    expect(error).toContain(advice);
  });

  it("a name that resembles nothing has no proposal, and neither has one that was sent already", async () => {
    const world = await openWorld();
    for (const name of ["bananas", "Symbol"]) {
      const [code, , error] = await reportedOf(world, order({ [name]: "1" }));
      expect([code, String(error).includes("Did you mean")]).toEqual([-1104, false]);
    }
  });

  it("a managed type on /api/v2/order is sent to POST /api/order; an unknown one is not", async () => {
    const world = await openNativeWorld();
    const reported = async (fields: RequestParameters): Promise<readonly unknown[]> =>
      await reportedOf(world, order({ apiManaged: undefined, ...fields }), "/api/v2/order");
    for (const type of ["STOP_MARKET", "STOP_LOSS", "SYNTHETIC_LIMIT", "TWAP"]) {
      const [code, msg, error] = await reported({ type });
      expect([code, msg, error]).toEqual([
        -1116,
        "Invalid orderType.",
        expect.stringContaining("POST /api/order"),
      ]);
    }
    const [code, , error] = await reported({ type: "STOPP" });
    expect([code, String(error).includes("POST /api/order")]).toEqual([-1116, false]);
  });
});
