import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect as open } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import { SIGNATURE_HEADER, signatureOf, TIME_HEADER } from "../../../src/adapters/venue-http/messages.ts";
import { child as childCodec } from "../../../src/adapters/venue-http/values.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { createCatalogue } from "../../../src/sandbox/catalogue.ts";
import { openPaperVenue } from "../../../src/simulator/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, listening, SECRET, serveVenue, until } from "./loopback.ts";

/** The head of a signed request whose body comes later. */
function headOf(target: string, body: string, method = "GET"): string {
  const timeMs = String(Date.now());
  const signature = signatureOf(SECRET, { method, target, timeMs, body: Buffer.from(body) });
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "host: venue",
    `content-length: ${body.length}`,
    `${TIME_HEADER}: ${timeMs}`,
    `${SIGNATURE_HEADER}: ${signature}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

it("a server that was closed while a request for a stream arrived opens none", async () => {
  const venue = createScriptedVenue();
  let listeners = 0;
  const subscribe: typeof venue.subscribe = () => {
    listeners++;
    return () => void listeners--;
  };
  const system = createSystemClock();
  let timers = 0;
  const schedule: Clock["schedule"] = (atMs, run) => {
    timers++;
    return system.schedule(atMs, run);
  };
  const clock: Clock = { ...system, schedule };
  const { server, port, close } = await serveVenue({ venue: { ...venue, subscribe }, clock });
  onTestFinished(close);
  const socket = open(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.write(headOf("/v1/events", "x"));
  await until(() => timers > 0, "the server that waits for the body");
  server.close();
  socket.write("x");
  await until(() => answer !== "", "the answer");
  expect(answer).toContain("HTTP/1.1 503");
  expect(listeners).toBe(0);
});

it.each([
  ["a later", 0, 7],
  ["an earlier", 7, 0],
])(
  "a stream that begins after %s event than the reader asked for was interrupted: what is open is looked up, and what follows is heard",
  async (_name, before, after) => {
    const streams: ServerResponse[] = [];
    const [child, other] = [childOf({ quantity: "1" }), childOf({ quantity: "1" })];
    const reported = (childId: string, state: string) => ({ report: { childId, state, fills: [] } });
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const [path] = (request.url ?? "").split("?");
      if (path === "/v1/events") {
        const seq = streams.length === 0 ? before : after;
        response.writeHead(200);
        response.write(`${JSON.stringify({ type: "hello", stream: "s", seq, timeMs: 1, beatMs: 5_000 })}\n`);
        return void streams.push(response);
      }
      if (path === "/v1/venue")
        return void response.end(
          JSON.stringify({ protocol: 1, capabilities: { honoursDeadline: true, canVoid: false }, parts: [] }),
        );
      const state = path === "/v1/children/lookup" ? "closed" : "open";
      response.end(JSON.stringify(reported(child.childId, state)));
    };
    const http = createServer(answer);
    await listening(http, 0);
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const client = await connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    onTestFinished(() => client.close());
    const received: string[] = [];
    client.venue.subscribe((event) => received.push(`${event.report.childId} ${event.report.state}`));
    await until(() => client.status().streams.every(({ isLive }) => isLive), "the stream");
    const limits = { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal };
    await client.venue.submit(child, limits);
    streams[0]?.destroy();
    await until(() => streams.length === 2, "the stream again");
    const event = { seq: after + 1, type: "report", ...reported(other.childId, "open") };
    streams[1]?.write(`${JSON.stringify(event)}\n`);
    await until(() => received.length > 1, "what became of the child, and the next event");
    expect(received.toSorted()).toEqual([`${child.childId} closed`, `${other.childId} open`].toSorted());
  },
);

it("a stream that was asked for behind an unanswered request of its connection takes no place for ever", async () => {
  const venue = createScriptedVenue();
  let isRequested = false;
  venue.onLookup = () => {
    isRequested = true;
    return new Promise(() => undefined);
  };
  const { port, url, close } = await serveVenue({ venue, limits: { streams: 1 } });
  onTestFinished(close);
  const socket = open(port, "127.0.0.1");
  const child = childOf({ quantity: "1" });
  const requested = JSON.stringify({ child: childCodec.write(child) });
  socket.write(`${headOf("/v1/children/lookup", requested, "POST")}${requested}${headOf("/v1/events", "")}`);
  await until(() => isRequested, "the look-up");
  socket.destroy();
  const client = await connect(url);
  onTestFinished(() => client.close());
  client.venue.subscribe(() => undefined);
  await until(() => client.status().streams.every(({ isLive }) => isLive), "the stream");
});

it("who hears native executions learns that some may be missing when the stream begins anew", async () => {
  const paper = await openPaperVenue({ clock: createSystemClock(), instruments: createCatalogue() });
  onTestFinished(() => paper.close());
  const [venue, nativeOrders] = [createScriptedVenue(), paper.native];
  const first = await serveVenue({ venue, nativeOrders });
  const client = await connect(first.url);
  onTestFinished(() => client.close());
  let missed = 0;
  client.nativeOrders?.subscribe(
    () => undefined,
    () => missed++,
  );
  await until(() => missed === 1, "the first stream");
  await first.close();
  const next = await serveVenue({ venue, nativeOrders }, first.port);
  onTestFinished(next.close);
  await until(() => missed === 2, "the stream of the next server");
});
