import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import {
  type VenueClient,
  type VenueClientOptions,
  VenueHttpError,
} from "../../../src/adapters/venue-http/index.ts";
import { OrderError } from "../../../src/errors/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { connect, listening, until } from "./loopback.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const MANIFEST = {
  protocol: 1,
  capabilities: { honoursDeadline: true, canVoid: true },
  parts: ["time", "native", "a part of a later version", "market"],
};

/** A server whose answers a test decides; it greets as the protocol says. */
async function openFake(answer: Answer, options: Partial<VenueClientOptions> = {}): Promise<VenueClient> {
  const server = createServer((request, response) => {
    if (request.url === "/v1/venue") response.end(JSON.stringify(MANIFEST));
    else answer(request, response);
  });
  await listening(server, 0);
  const client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    timeoutMs: 150,
    ...options,
  });
  onTestFinished(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return client;
}

const child = childOf({ quantity: "1" });
const limits = () => ({ deadlineMs: Date.now() + 60_000, signal: new AbortController().signal });

const fill = { executionId: "1", quantity: "1", price: "100", timeMs: 5 };
const good = { report: { childId: child.childId, state: "closed", fills: [fill] } };

const HUGE = "x".repeat(1_048_576);

/** Bodies that are no answers to a submit, each with what is wrong. */
const BODIES: Readonly<Record<string, string>> = {
  empty: "",
  "not JSON": "<html>502 Bad Gateway</html>",
  "not UTF-8": "\ud800",
  cut: '{"report":{"childId"',
  "a name twice": JSON.stringify(good).replace('"state"', '"state":"open","state"'),
  "nested deeply": `{"report":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  "an array": "[]",
  null: "null",
  "another child": JSON.stringify({ report: { ...good.report, childId: "aqc-another" } }),
  "no state": JSON.stringify({ report: { ...good.report, state: undefined } }),
  "a state of its own": JSON.stringify({ report: { ...good.report, state: "FILLED" } }),
  "a price as a number": JSON.stringify({ report: { ...good.report, fills: [{ ...fill, price: 100 }] } }),
  "a quantity of 0": JSON.stringify({ report: { ...good.report, fills: [{ ...fill, quantity: "0" }] } }),
  "a negative quantity": JSON.stringify({ report: { ...good.report, fills: [{ ...fill, quantity: "-1" }] } }),
  "an exponent": JSON.stringify({ report: { ...good.report, fills: [{ ...fill, quantity: "1e3" }] } }),
  "a time as text": JSON.stringify({ report: { ...good.report, fills: [{ ...fill, timeMs: "5" }] } }),
  "too many executions": JSON.stringify({ report: { ...good.report, fills: Array(10_001).fill(fill) } }),
};

it("a server of the same protocol that has a part which the client does not know is used without it", async () => {
  const { nativeOrders, balances } = await openFake((_, response) => void response.end("{}"));
  expect([nativeOrders !== undefined, balances]).toEqual([true, undefined]);
});

describe("a broken or hostile venue server", () => {
  it("an answer that is not one of the protocol is no report: the outcome stays unknown", async () => {
    let body = "";
    const client = await openFake((_, response) => void response.end(body));
    const { venue, nativeOrders } = client;
    for (const [what, text] of Object.entries(BODIES)) {
      body = text;
      await expect(venue.submit(child, limits()), what).rejects.toBeInstanceOf(VenueHttpError);
      await expect(venue.lookup(child), what).rejects.toBeInstanceOf(VenueHttpError);
      await expect(venue.voidChild?.(child), what).rejects.toBeInstanceOf(VenueHttpError);
      await expect(venue.venueTimeMs?.(), what).rejects.toBeInstanceOf(VenueHttpError);
      // An OrderError would refuse the order definitely.
      const placing = nativeOrders?.cancel({ accountId: 1, symbol: "BTC/USD", orderId: 1n });
      const outcome = await placing?.catch((error: unknown) => error);
      expect(outcome, what).not.toBeInstanceOf(OrderError);
    }
    for (const text of [
      "{}",
      '{"notFound":true,"notFoundAtMs":1}',
      '{"notFound":false}',
      '{"notFoundAtMs":-1}',
    ]) {
      body = text;
      await expect(venue.lookup(child), text).rejects.toBeInstanceOf(VenueHttpError);
    }
    body = JSON.stringify(good);
    expect(await venue.submit(child, limits())).toMatchObject({ state: "closed" });
  });

  it("no status but 200 is an answer, and none of them a refusal of the child", async () => {
    let status = 0;
    const client = await openFake((_, response) => {
      response.writeHead(status, { location: "/v1/venue" }).end(JSON.stringify(good));
    });
    for (status of [201, 202, 204, 301, 307, 400, 401, 404, 409, 410, 429, 500, 502, 503, 504]) {
      const error = await client.venue.submit(child, limits()).catch((caught: unknown) => caught);
      expect((error as VenueHttpError).problem, String(status)).toBe("refused");
    }
  });

  it("ends a call whose answer does not come, never ends, is endless or is too long, and takes no memory for it", async () => {
    const answers: readonly Answer[] = [
      () => undefined,
      (_, response) => void response.write("{"),
      (_, response) => {
        const more = (): void => {
          if (response.destroyed) return;
          response.write(HUGE);
          setImmediate(more);
        };
        more();
      },
      (_, response) => void response.writeHead(200, { "content-length": "10" }).write("{"),
      (request) => void request.socket.destroy(),
      (request) => void request.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}"),
      (request) => void request.socket.end("nonsense\r\n\r\n"),
    ];
    let current: Answer = () => undefined;
    const client = await openFake((request, response) => current(request, response));
    for (current of answers) {
      const error = await client.venue.submit(child, limits()).catch((caught: unknown) => caught);
      expect(["unanswered", "unreadable"]).toContain((error as VenueHttpError).problem);
    }
    expect(client.status().calls).toBe(0);
  });

  it("what was refused before a connection was made is unsent, and is sent again until the signal ends it", async () => {
    const server = createServer((_, response) => void response.end(JSON.stringify(MANIFEST)));
    await listening(server, 0);
    const { port } = server.address() as AddressInfo;
    const client = await connect(`http://127.0.0.1:${port}`);
    onTestFinished(() => client.close());
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const lookup = await client.venue.lookup(child).catch((caught: unknown) => caught);
    // The pooled connection may have been found broken only when it was used.
    expect(["unsent", "unanswered"]).toContain((lookup as VenueHttpError).problem);
    const abort = new AbortController();
    const unsent = client.venue.submit(child, { ...limits(), signal: abort.signal });
    const outcome = unsent.catch((caught: unknown) => caught);
    await client.venue.lookup(child).catch(() => undefined);
    abort.abort();
    expect(((await outcome) as VenueHttpError).problem).toBe("unsent");
    let submits = 0;
    const again = createServer((_, response) => {
      submits++;
      response.end(JSON.stringify(good));
    });
    const sent = client.venue.submit(child, limits());
    await client.venue.lookup(child).catch(() => undefined);
    await listening(again, port);
    expect(await sent).toMatchObject({ state: "closed" });
    expect(submits).toBe(1);
    again.closeAllConnections();
    await new Promise((resolve) => again.close(resolve));
  });

  it("bounds the calls that wait: a further one is unsent", async () => {
    const client = await openFake(() => undefined, { calls: 2 });
    const waiting = [client.venue.lookup(child), client.venue.lookup(child)].map((call) =>
      call.catch((caught: unknown) => caught),
    );
    const further = await client.venue.lookup(child).catch((caught: unknown) => caught);
    expect((further as VenueHttpError).problem).toBe("unsent");
    for (const error of await Promise.all(waiting))
      expect((error as VenueHttpError).problem).toBe("unanswered");
  });

  it("reconnects after each stream that is not one of the protocol, and hears what is", async () => {
    const hello = JSON.stringify({ type: "hello", stream: "s", seq: 0, timeMs: 5, beatMs: 5 });
    const event = (seq: unknown): string => JSON.stringify({ seq, type: "report", ...good });
    const bad = [
      `${event(1)}\n`,
      `${hello}\n${event("1")}\n`,
      `${hello.replace('"s"', '"../x"')}\n${hello}\n\xff\xfe\n`,
    ];
    let streams = 0;
    const client = await openFake((_, response) => {
      const text = bad[streams++];
      if (text === undefined) {
        const unreadable = JSON.stringify({ seq: 1, type: "report", report: { childId: 5 } });
        const foreign = JSON.stringify({ seq: 2, type: "news" });
        response.write(`${[hello, unreadable, foreign, event(3), event(3), event(2)].join("\n")}\n`);
      } else response.end(Buffer.from(text, "latin1"));
    });
    const received: unknown[] = [];
    client.venue.subscribe((one) => received.push(one));
    await until(() => received.length > 0, "the event");
    expect(received).toHaveLength(1);
    expect(streams).toBe(bad.length + 1);
    expect(client.status().streams).toEqual([{ name: "events", isLive: true, after: 3 }]);
  });

  it("takes a stream without whole lines for dead, and a line without an end for too long", async () => {
    const problems: string[] = [];
    let streams = 0;
    const client = await openFake(
      (_, response) => {
        response.write(`${JSON.stringify({ type: "hello", stream: "s", seq: 0 })}\n`);
        const isFirst = streams++ === 0;
        const drip = (): void => {
          if (response.destroyed) return;
          response.write(isFirst ? HUGE : " ");
          setImmediate(drip);
        };
        drip();
      },
      {
        silenceMs: 400,
        telemetry: {
          event: (_level, _name, { problem }) => void (problem && problems.push(String(problem))),
        },
      },
    );
    client.venue.subscribe(() => undefined);
    await until(() => problems.length >= 2, "both problems");
    expect(problems).toEqual(["the stream breaks the protocol", "nothing heard for 400 ms"]);
  });

  it("refuses to open on a server of another version, without one, and with a wrong secret", async () => {
    const open = async (status: number, body: object): Promise<unknown> => {
      const server = createServer((_, response) => {
        response.writeHead(status).end(JSON.stringify(body));
      });
      await listening(server, 0);
      const { port } = server.address() as AddressInfo;
      const options = { openWithinMs: 250, clock: createSystemClock() };
      const outcome = await connect(`http://127.0.0.1:${port}`, options).catch((error: unknown) => error);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return outcome;
    };
    expect(await open(200, { ...MANIFEST, protocol: 2 })).toMatchObject({ problem: "unreadable" });
    expect(await open(200, {})).toMatchObject({ problem: "unreadable" });
    expect(await open(401, { error: { code: "BAD_SIGNATURE" } })).toMatchObject({ code: "BAD_SIGNATURE" });
    expect(await open(500, {})).toMatchObject({ problem: "refused" });
  });
});
