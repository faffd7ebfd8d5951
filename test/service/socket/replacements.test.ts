import { expect, it } from "vitest";
import { place } from "../../support/service-world.ts";
import { openSocketWorld } from "../../support/socket-world.ts";

const STOP = {
  ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET" },
  ...{ quantity: "0.01", stopPrice: "6000", newClientOrderId: "old" },
};

it("order.cancelReplace answers with both orders, tells both events once, and a failed half in data", async () => {
  const { world, client } = await openSocketWorld();
  await client.ask("userDataStream.subscribe.signature");
  const { orderId } = (await place(world, STOP)).body;
  const params = {
    ...{ ...STOP, stopPrice: "6100", newClientOrderId: "new" },
    ...{ cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: orderId as number },
  };
  const reply = await client.ask("order.cancelReplace", params);
  expect([reply.status, reply.result]).toMatchObject([
    200,
    { cancelResponse: { orderId, status: "CANCELED" }, newOrderResponse: { clientOrderId: "new" } },
  ]);
  expect((await client.ask("order.cancelReplace", { ...params, recvWindow: 4_000 })).result).toEqual(
    reply.result,
  );
  const failed = await client.ask("order.cancelReplace", { ...params, newClientOrderId: "newer" });
  expect([failed.status, failed.error]).toMatchObject([
    400,
    { code: -2022, data: { cancelResult: "FAILURE", cancelResponse: { code: -2011 } } },
  ]);
  await world.engine.idle();
  await client.ask("session.subscriptions", {}, { key: null });
  const told = client.events.map(({ o }) => o as Record<string, unknown>);
  expect(told.map(({ c, x }) => `${c} ${x}`)).toEqual(["old NEW", "old CANCELED", "new NEW"]);
});
