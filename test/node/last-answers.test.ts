import { afterEach, describe, expect, it } from "vitest";
import { type Gate, gateOf, type Leave } from "../../src/adapters/node/gate.ts";
import { resolveLimits } from "../../src/adapters/node/server-api.ts";
import { createTransport } from "../../src/adapters/node/transport.ts";
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
  targets: string[];
  close: (graceMs: number) => Promise<void>;
}>;

/** A server that records the targets of the requests that its service gets; `before` delays their answers. */
async function serve({
  gate = gateOf(new Traffic()),
  before = async () => undefined,
}: Readonly<{
  gate?: Gate;
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
    gate,
    limits: resolveLimits(),
  });
  open.push(() => close(0));
  return { port: await listening(server), targets, close };
}

const order = rawBytes({ method: "POST", target: "/api/order", body: "{}" });

describe("a connection that a front thread refuses after its first request has arrived", () => {
  it.each([
    ["above the limit of its address", undefined, 429],
    ["above the total limit", "full", "closed"],
  ] as const)("%s: the request is not served", async (_case, verdict, told) => {
    const entering: ((verdict: Leave | "full" | undefined) => void)[] = [];
    let arrived = false;
    const gate: Gate = {
      ...gateOf(new Traffic()),
      open: () => new Promise((tell) => entering.push(tell)),
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
    expect([answer, targets]).toEqual([told, []]);
  });
});
