import { afterEach, describe, expect, it } from "vitest";
import type { QuoteInput } from "../../src/ports/index.ts";
import type { JsonObject } from "../../src/wire/index.ts";
import { messageOf } from "../support/hostile-socket.ts";
import {
  attack,
  expectNothingReported,
  type HostileWorld,
  openHostileWorld,
} from "../support/hostile-world.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { FAR_LIMIT, START_MS } from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A world with a reader of the private stream, and a BUY of 0.01 for 2,000 each whose child is open at the venue. */
type InFlight = Readonly<{
  world: HostileWorld;
  childId: string;
  /** Status and executed quantity from REST and a message; the two must agree. */
  received: () => Promise<string>;
  /** Status and executed quantity of every event of the order so far. */
  events: () => Promise<readonly string[]>;
  say: (...reports: readonly Parameters<HostileWorld["venue"]["say"]>[0][]) => Promise<void>;
}>;

const NAME = "venue-96";

async function inFlight(): Promise<InFlight> {
  const world = await openHostileWorld();
  open.push(() => world.close());
  const reader = await SocketClient.connect(`ws://127.0.0.1:${world.port}/ws/listenKey`);
  open.push(() => reader.close());
  reader.socket.send(messageOf({ method: "userDataStream.subscribe.signature" }));
  await reader.until(() => reader.messages.length === 1);
  const body = JSON.stringify({ ...FAR_LIMIT, symbol: "ETH/USD", price: "2000", newClientOrderId: NAME });
  await world.accepts(attack("POST", "/api/order", { query: "nonce=1", body }));
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = () => new Error("not asked");
  await quotes(world, { symbol: "ETH/USD", bid: "1999", ask: "2000" });
  const childId = world.venue.submitted[0]?.childId ?? "";
  const received = async (): Promise<string> => {
    const query = `symbol=ETH/USD&origClientOrderId=${NAME}&timestamp=${START_MS}`;
    const byRest = await world.accepts(attack("GET", "/api/v2/order", { query }));
    const json = `{"symbol":"ETH/USD","origClientOrderId":"${NAME}"}`;
    expect(await world.acceptsMessage({ method: "order.status", json })).toEqual(byRest);
    return `${byRest.status} ${byRest.executedQty}`;
  };
  const events = async (): Promise<readonly string[]> => {
    const before = reader.messages.length;
    reader.socket.send(messageOf({ method: "session.subscriptions" }, `"${before}"`));
    await reader.until(() => reader.messages.some(({ id }) => id === String(before)));
    expectNothingReported(reader.texts.join("\n").replaceAll(/"x[0-9]+"/g, ""));
    return reader.events.map(({ o }) => `${(o as JsonObject).X} ${(o as JsonObject).z}`);
  };
  const say: InFlight["say"] = async (...reports) => {
    for (const report of reports) world.venue.say(report);
    await world.engine.idle();
  };
  expect(await received()).toBe("NEW 0");
  return { world, childId, received, events, say };
}

async function quotes(world: HostileWorld, ...inputs: readonly QuoteInput[]): Promise<void> {
  for (const input of inputs) world.engine.market.quote(input);
  await world.engine.idle();
}

describe("reports of a venue", () => {
  it("hostile 96: a fill with a repeated execution id counts once and is reported once", async () => {
    const { childId, received, events, say } = await inFlight();
    const fill = fillOf({ quantity: "0.004", price: "2000" });
    await say(reported(childId, "open", [fill]), reported(childId, "open", [fill, fill]));
    expect(await received()).toBe("PARTIALLY_FILLED 0.004");
    expect(await events()).toEqual(["NEW 0", "PARTIALLY_FILLED 0.004"]);
  });

  it("hostile 96: fills with a zero or negative quantity, a zero price, or no id do not count and are never reported", async () => {
    const { childId, received, events, say, world } = await inFlight();
    const good = fillOf({ quantity: "0.004", price: "2000" });
    await say(
      reported(childId, "open", [{ ...good, executionId: "b1", quantity: 0 as never }]),
      reported(childId, "open", [{ ...good, executionId: "b2", quantity: -4_000 as never }]),
      reported(childId, "open", [{ ...good, executionId: "b3", price: 0 as never }]),
      reported(childId, "open", [{ ...good, executionId: "b4", price: Number.NaN as never }]),
      reported(childId, "closed", [{ ...good, executionId: "" }]),
    );
    expect([await received(), await events()]).toEqual(["NEW 0", ["NEW 0"]]);
    await quotes(world, { symbol: "ETH/USD", bid: "1998", ask: "1999" });
    expect(world.venue.submitted).toHaveLength(1);
    await say(reported(childId, "closed", [good]));
    expect(await received()).toBe("EXPIRED 0.004");
  });

  it("hostile 96: a fill before the acknowledgement counts, the acknowledgement changes nothing", async () => {
    const { childId, events, say, world } = await inFlight();
    await say(reported(childId, "rejected"));
    const fill = fillOf({ quantity: "0.01", price: "1999" });
    world.venue.onSubmit = async (child) => {
      world.venue.say(reported(child.childId, "closed", [fill]));
      await new Promise((next) => setImmediate(next));
      return reported(child.childId, "open", [fill]);
    };
    await world.clock.advanceBy(5_000, () => world.engine.idle());
    await quotes(world, { symbol: "ETH/USD", bid: "1998", ask: "1999" });
    await world.engine.idle();
    const json = `{"symbol":"ETH/USD","origClientOrderId":"${NAME}","recvWindow":60000}`;
    expect(await world.acceptsMessage({ method: "order.status", json })).toMatchObject({ status: "FILLED" });
    expect([...new Set(await events())]).toEqual(["NEW 0", "FILLED 0.01"]);
  });
});
