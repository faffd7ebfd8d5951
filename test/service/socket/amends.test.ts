import { expect, it } from "vitest";
import { place, placeList } from "../../support/service-world.ts";
import { openSocketWorld, refusalOf } from "../../support/socket-world.ts";

const STOP = {
  ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET" },
  ...{ quantity: "0.01", stopPrice: "6000", newClientOrderId: "stop-1" },
};

it("order.amend answers with the order, and the stream tells AMENDED with the terms of now, once", async () => {
  const { world, client } = await openSocketWorld();
  await client.ask("userDataStream.subscribe.signature");
  const { orderId } = (await place(world, STOP)).body;
  const params = { symbol: "BTC/USD", orderId: orderId as number, stopPrice: "6100", amendId: "a-1" };
  const reply = await client.ask("order.amend", params);
  expect([reply.status, reply.result]).toMatchObject([200, { orderId, stopPrice: "6100" }]);
  expect((await client.ask("order.amend", { ...params, recvWindow: 4_000 })).result).toMatchObject({
    orderId,
  });
  expect(refusalOf(await client.ask("order.amend", { ...params, stopPrice: "6200" }))).toEqual([400, -2038]);
  await world.engine.idle();
  await client.ask("session.subscriptions", {}, { key: null });
  const told = client.events.map(({ o }) => o as Record<string, unknown>);
  expect(told.map(({ x }) => x)).toEqual(["NEW", "AMENDED"]);
  expect(told[0]).not.toHaveProperty("before");
  const amended = { i: orderId, c: "stop-1", q: "0.01", sp: "6100", X: "NEW", z: "0", amendId: "a-1" };
  expect(told[1]).toMatchObject({ ...amended, before: { stopPrice: "6000" } });
  expect(Object.keys(told[1]?.before as object)).toEqual(["stopPrice"]);
});

it("an amend of a leg's quantity is told of both legs of its pair, with the terms before", async () => {
  const { world, client } = await openSocketWorld();
  await client.ask("userDataStream.subscribe.signature");
  const list = await placeList(world, "oco", { belowType: "STOP", belowTrailingDelta: 500 });
  const orders = list.body.orders as unknown as readonly { orderId: number }[];
  const [stop, limit] = orders.map(({ orderId }) => orderId);
  const changes = { quantity: "0.02", trailingDelta: 600, amendId: "a-1" };
  const reply = await client.ask("order.amend", { symbol: "BTC/USD", orderId: stop ?? 0, ...changes });
  expect([reply.status, reply.result]).toMatchObject([200, { origQty: "0.02", trailingDelta: 600 }]);
  await world.engine.idle();
  await client.ask("session.subscriptions", {}, { key: null });
  const told = client.events.map(({ o }) => o as Record<string, unknown>).filter((o) => o?.x === "AMENDED");
  expect(told.map(({ i, q, before, amendId }) => ({ i, q, before, amendId }))).toEqual([
    { i: stop, q: "0.02", before: { quantity: "0.01", trailingDelta: 500 }, amendId: "a-1" },
    { i: limit, q: "0.02", before: { quantity: "0.01" }, amendId: undefined },
  ]);
});
