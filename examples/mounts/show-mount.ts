import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeMount, probeMount } from "managed-orders/node";
import { createMountProbe, type Service } from "managed-orders/service";
import { signBody, signQuery, signSocketParameters } from "managed-orders/signing";
import { WebSocket } from "ws";
import { KEY, openExampleService } from "./example-service.ts";

type CreateHost = (service: Service) => Promise<Readonly<{ server: Server; mount: NodeMount }>>;

type Reply = Readonly<{ code?: number; msg?: string } & Record<string, unknown>>;

/**
 * Demonstrates a host: the probe's findings for its mount, its own routes, an order over REST and WebSocket, and its
 * shutdown.
 */
export async function showMount(createHost: CreateHost): Promise<void> {
  const { service, close } = await openExampleService();
  await probe(createHost, service);
  const { server, mount } = await createHost(service);
  const address = await listen(server);
  await askHost(`http://${address}`);
  await askService(`http://${address}`);
  await askSocket(`ws://${address}/ws/listenKey`);

  const drained = mount.drain();
  server.close();
  await drained;
  await close();
  console.log("drained");
}

/** Mounts the probe in place of the service and runs it. */
async function probe(createHost: CreateHost, service: Service): Promise<void> {
  const looking = createMountProbe();
  const { server } = await createHost({ ...looking.service, sockets: service.sockets });
  const findings = await probeMount(looking, { url: `http://${await listen(server)}` });
  console.log("the probe finds:", findings.length === 0 ? "nothing" : findings);
  server.close();
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function askHost(url: string): Promise<void> {
  console.log("GET /health:", await (await fetch(`${url}/health`)).text());
  const headers = { "Content-Type": "application/json" };
  const echoed = await fetch(`${url}/echo`, { method: "POST", headers, body: '{"from": "the host"}' });
  console.log("POST /echo:", await echoed.text());
}

async function askService(url: string): Promise<void> {
  const query = `nonce=${Date.now()}`;
  const parameters = {
    ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET" },
    ...{ quantity: "0.5", stopPrice: "59500", newClientOrderId: "example-1" },
  };
  const { body, signature } = signBody({ secret: KEY.secret, query, parameters });
  const headers = { "X-MBX-APIKEY": KEY.apiKey, "Content-Type": "application/json", signature };
  const placed = await fetch(`${url}/api/order?${query}`, { method: "POST", headers, body });
  show("POST /api/order:", placed.status, (await placed.json()) as Reply);

  const lookup = { symbol: "BTC/USD", origClientOrderId: "example-1", timestamp: Date.now() };
  const signed = `${url}/api/v2/order?${signQuery({ secret: KEY.secret, parameters: lookup })}`;
  for (const [name, target] of [
    ["GET /api/v2/order:", signed],
    ["with a wrong signature:", `${signed}0`],
  ] as const) {
    const read = await fetch(target, { headers: { "X-MBX-APIKEY": KEY.apiKey } });
    show(name, read.status, (await read.json()) as Reply);
  }
}

async function askSocket(url: string): Promise<void> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.once("open", resolve));
  const parameters = {
    ...{ apiKey: KEY.apiKey, timestamp: Date.now() },
    ...{ symbol: "BTC/USD", origClientOrderId: "example-1" },
  };
  const params = signSocketParameters({ secret: KEY.secret, parameters });
  socket.send(JSON.stringify({ id: "1", method: "order.status", params }));
  const answer = await new Promise((resolve) =>
    socket.once("message", (data) => resolve(JSON.parse(String(data)))),
  );
  const { status, result } = answer as Readonly<{ status: number; result: Reply }>;
  show("order.status by WebSocket:", status, result);
}

function show(what: string, status: number, { code, msg, orderId, type, apiState }: Reply): void {
  console.log(what, status, ...(code === undefined ? [orderId, type, apiState] : [code, msg]));
}
