import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { quantity } from "../../../src/decimal/index.ts";
import { connect, listening } from "./loopback.ts";

const ORDER = {
  ...{ orderId: "5", accountId: "1", symbol: "BTC/USD", clientOrderId: "mine", status: "FILLED" },
  ...{ type: "MARKET", side: "BUY", timeInForce: "GTC", quantity: "1", executedQuantity: "1" },
  ...{ updatedAtMs: 1, isWorking: true },
};

it("an answer that says both that an order was placed and that it was refused leaves its outcome unknown", async () => {
  const both = {
    done: { order: ORDER, fills: [], created: true },
    refused: { reason: "INSUFFICIENT_BALANCE", details: {} },
  };
  const capabilities = { honoursDeadline: true, canVoid: false };
  const manifest = { protocol: 1, capabilities, isPaperTrade: false, parts: ["native"] };
  const http = createServer((request, response) => {
    response.end(JSON.stringify(request.url === "/v1/venue" ? manifest : both));
  });
  await listening(http, 0);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const client = await connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => client.close());
  const terms = { accountId: 1, requestKey: "r1", symbol: "BTC/USD", side: "BUY", type: "MARKET" } as const;
  const placing = client.nativeOrders?.place({ ...terms, clientOrderId: "mine", quantity: quantity("1") });
  await expect(placing).rejects.toMatchObject({ problem: "unreadable" });
});
