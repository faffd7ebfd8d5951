import { once } from "node:events";
import type { Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { gateOf, type Leave, type TrafficGate } from "../../src/adapters/node/connections.ts";
import { resolveLimits } from "../../src/adapters/node/server-api.ts";
import { createTransport } from "../../src/adapters/node/transport.ts";
import type { SocketService } from "../../src/service/index.ts";
import { Traffic } from "../../src/service/internal.ts";
import type { WireResponse } from "../../src/wire/index.ts";
import { listening } from "../support/listening.ts";
import { openConnection, rawBytes } from "../support/raw-http.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

type Served = Readonly<{
  port: number;
  server: Server;
  targets: string[];
  close: (graceMs: number) => Promise<void>;
}>;

/** A server that records the targets of the requests that its service gets; `before` delays their answers. */
async function serve({
  gate = gateOf(new Traffic()),
  before = async () => undefined,
  sockets,
}: Readonly<{
  gate?: TrafficGate;
  sockets?: SocketService;
  before?: (target: string) => Promise<void>;
}> = {}): Promise<Served> {
  const targets: string[] = [];
  const handle = async ({ target }: Readonly<{ target: string }>): Promise<WireResponse> => {
    targets.push(target);
    await before(target);
    return {
      status: 200,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(target),
    };
  };
  const { server, close } = createTransport({
    service: { handle },
    sockets,
    gate,
    limits: resolveLimits(),
  });
  open.push(() => close(0));
  return { port: await listening(server), server, targets, close };
}

const order = rawBytes({ method: "POST", target: "/api/order", body: "{}" });

describe("a connection that a front thread refuses after its first request has arrived", () => {
  it.each([
    ["above the limit of its address", undefined, 429],
    ["above the total limit", "full", "closed"],
  ] as const)("%s: the request is not served", async (_case, verdict, reported) => {
    const entering: ((verdict: Leave | "full" | undefined) => void)[] = [];
    let arrived = false;
    const gate: TrafficGate = {
      ...gateOf(new Traffic()),
      open: () => new Promise((report) => entering.push(report)),
      networkOf: () => {
        arrived = true;
        return "127.0.0.1";
      },
    };
    const { port, targets } = await serve({ gate });
    const connection = await openConnection(port);
    connection.write(order);
    while (!arrived) await turn();
    await turn();
    entering[0]?.(verdict);
    const answer = await connection.answer().then(
      ({ status }) => status,
      () => "closed",
    );
    await connection.ended;
    expect([answer, targets]).toEqual([reported, []]);
  });
});

it("a handshake on a connection that a front thread refuses does not reach the service", async () => {
  const entering: ((verdict: undefined) => void)[] = [];
  const gate: TrafficGate = {
    ...gateOf(new Traffic()),
    open: () => new Promise((report) => entering.push(report)),
  };
  let admitted = 0;
  const admit = async (): Promise<undefined> => void admitted++;
  const sockets = { admit, shutdown: () => undefined } as Partial<SocketService> as SocketService;
  const { port, server } = await serve({ gate, sockets });
  const connection = await openConnection(port);
  const upgrade = once(server, "upgrade");
  const headers = ["Connection", "Upgrade", "Upgrade", "websocket"];
  connection.write(rawBytes({ method: "GET", target: "/ws", headers }));
  await upgrade;
  entering[0]?.(undefined);
  expect((await connection.answer()).status).toBe(429);
  await connection.ended;
  expect(admitted).toBe(0);
});

describe("requests that a client sends at once", () => {
  it("close answers those that have arrived; the last answer says that it is the last", async () => {
    let finish: () => void = () => undefined;
    const { port, targets, close } = await serve({
      before: async (target) => {
        if (target === "/slow") await new Promise<void>((resolve) => (finish = resolve));
      },
    });
    const connection = await openConnection(port);
    connection.write(Buffer.concat([rawBytes({ method: "GET", target: "/slow" }), order, order]));
    while (targets.length === 0) await turn();
    const closed = close(1_000);
    finish();
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(answers.map(({ headers }) => headers.get("connection"))).toEqual([
      "keep-alive",
      "keep-alive",
      "close",
    ]);
    await closed;
    expect(targets).toEqual(["/slow", "/api/order", "/api/order"]);
  });

  it("one that is refused for its expectation is answered after those before it", async () => {
    let finish: () => void = () => undefined;
    const { port, targets } = await serve({
      before: async (target) => {
        if (target === "/slow") await new Promise<void>((resolve) => (finish = resolve));
      },
    });
    const connection = await openConnection(port);
    const slow = rawBytes({ method: "GET", target: "/slow" });
    const refused = rawBytes({ method: "GET", target: "/refused", headers: ["Expect", "200-ok"] });
    connection.write(Buffer.concat([slow, order, refused, order]));
    while (targets.length === 0) await turn();
    await turn();
    finish();
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 417]);
    await connection.ended;
    expect(targets).toEqual(["/slow", "/api/order"]);
  });

  it("a request after the last answer of its connection is not served", async () => {
    const { port, targets } = await serve();
    const connection = await openConnection(port);
    const tooLarge = rawBytes({ method: "POST", target: "/large", body: " ".repeat(40_000) });
    connection.write(Buffer.concat([tooLarge, order]));
    expect((await connection.answer()).headers.get("connection")).toBe("close");
    await connection.ended;
    expect(targets).toEqual(["/large"]);
  });
});
