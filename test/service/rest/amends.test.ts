import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import {
  call,
  KEYS,
  openWorld,
  placeList,
  type Reply,
  requestOf,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const STOP = {
  ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET" },
  ...{ quantity: "0.01", stopPrice: "6000" },
};

const amend = (world: ServiceWorld, fields: RequestParameters, as = key): Promise<Reply> =>
  call(world, "PUT", "/api/order", {
    key: as,
    json: { symbol: "BTC/USD", ...fields },
    query: { nonce: world.nonce() },
  });

const placeStop = async (world: ServiceWorld): Promise<number> =>
  (
    await call(world, "POST", "/api/order", {
      key,
      json: { ...STOP, newClientOrderId: "stop-1" },
      query: { nonce: world.nonce() },
    })
  ).body.orderId as number;

describe("PUT /api/order", () => {
  it("answers with the whole order in its new terms, by id, by client id, and by an alias of the symbol", async () => {
    const world = await openWorld();
    const orderId = await placeStop(world);
    const first = await amend(world, { orderId, stopPrice: "6100" });
    expect([first.status, first.body]).toMatchObject([200, { orderId, stopPrice: "6100", status: "NEW" }]);
    const second = await amend(world, { origClientOrderId: "stop-1", quantity: "0.02", symbol: "BTCUSD" });
    expect(second.body).toMatchObject({
      orderId,
      stopPrice: "6100",
      origQty: "0.02",
      clientOrderId: "stop-1",
    });
  });

  it("the same signed bytes are the same amend, also after another amend and after the end", async () => {
    const world = await openWorld();
    const orderId = await placeStop(world);
    const json = { symbol: "BTC/USD", orderId, stopPrice: "6100" };
    const request = requestOf("PUT", "/api/order", { key, json, query: { nonce: "amend-1" } });
    expect((await world.service.handle(request)).status).toBe(200);
    await amend(world, { orderId, stopPrice: "6200" });
    const again = await world.service.handle(request);
    expect(JSON.parse(String(again.body))).toMatchObject({ stopPrice: "6200" });
    await call(world, "DELETE", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId, nonce: world.nonce() },
    });
    const ended = await world.service.handle(request);
    expect(JSON.parse(String(ended.body))).toMatchObject({ stopPrice: "6200", status: "CANCELED" });
  });

  it("refuses another content under an amendId, fields that are none, and orders that cannot be amended", async () => {
    const world = await openWorld();
    const orderId = await placeStop(world);
    await amend(world, { orderId, stopPrice: "6100", amendId: "a-1" });
    const list = await placeList(world, "otoco");
    const [, leg] = list.body.orders as unknown as readonly { orderId: number }[];
    for (const [fields, code] of [
      [{ orderId, stopPrice: "6200", amendId: "a-1" }, -2038],
      [{ orderId, stopPrice: "6200", amendId: "a b" }, -1100],
      [{ orderId, price: "6200" }, -2038],
      [{ orderId, side: "BUY" }, -1104],
      [{ orderId, participationBips: 100 }, -1104],
      [{ orderId, quantity: "0.0000001" }, -1111],
      [{ orderId, quantity: "0.0001" }, -1013],
      [{ orderId: leg?.orderId ?? 0, stopPrice: "900000" }, -2010],
      [{ orderId: -1, quantity: "0.02" }, -2013],
      [{ quantity: "0.02" }, -1102],
    ] as const) {
      const { status, body } = await amend(world, fields as RequestParameters);
      expect([status, body.code], JSON.stringify(fields)).toEqual([400, code]);
      expect(String(body.error).length).toBeGreaterThan(String(body.msg).length);
    }
  });

  it("39: needs TRADE, and another's order answers as an unknown one", async () => {
    const world = await openWorld();
    const orderId = await placeStop(world);
    expect((await amend(world, { orderId, stopPrice: "6100" }, KEYS.reader)).status).toBe(401);
    expect((await amend(world, { orderId, stopPrice: "6100" }, KEYS.stranger)).body.code).toBe(-2013);
  });

  it("counts as an order, and a copy does not", async () => {
    const world = await openWorld();
    const orderId = await placeStop(world);
    const counts = ({ headers }: Reply): unknown => headers["X-MBX-ORDER-COUNT-10S"];
    const first = await amend(world, { orderId, stopPrice: "6100", amendId: "a-1" });
    const copy = await amend(world, { orderId, stopPrice: "6100", amendId: "a-1" });
    expect([counts(first), counts(copy)]).toEqual(["2", "2"]);
  });
});
