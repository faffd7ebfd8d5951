import { connect as tcp } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createManualClock, createMarketFeed } from "../../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import type { ExecutionVenue } from "../../../src/ports/index.ts";
import { sign } from "../../../src/signing/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { createScriptedVenue, type ScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, type RunningServer, SECRET, serveVenue, until } from "./loopback.ts";

type Options = Partial<Parameters<typeof serveVenue>[0]>;

async function openServer(options: Options = {}): Promise<RunningServer & { venue: ScriptedVenue }> {
  const venue = createScriptedVenue();
  const running = await serveVenue({ venue, ...options });
  onTestFinished(running.close);
  return { ...running, venue };
}

const HOUR_MS = 3_600_000;

/** A child as the protocol writes it. */
const wireChild = (childId: string) => ({
  ...{ childId, parentOrderId: "-256", accountId: "1", symbol: "BTC/USD", side: "BUY" },
  ...{ quantity: "1", timeInForce: "IOC", reduceOnly: false },
});

type Request = Readonly<{
  method?: string;
  path?: string;
  body?: string;
  timeMs?: number;
  secret?: string;
  signature?: string;
}>;

/** The head and body of a signed request, which is sent as often as a test wants. */
function signedRequest({ method = "POST", path = "/v1/children", body = "", ...rest }: Request) {
  const timeMs = rest.timeMs ?? Date.now();
  const payload = `${method}\n${path}\n${timeMs}\n${body}`;
  const signature = rest.signature ?? sign({ secret: rest.secret ?? SECRET, payload });
  const headers = { "x-venue-time": String(timeMs), "x-venue-signature": signature };
  return { path, init: { method, headers, ...(method === "POST" && { body }) } };
}

async function send(url: string, { path, init }: ReturnType<typeof signedRequest>) {
  const response = await fetch(`${url}${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const submitOf = (childId: string, notAfterMs = Date.now() + HOUR_MS): string =>
  JSON.stringify({ child: wireChild(childId), notAfterMs });

const codeOf = ({ body }: Readonly<{ body: Record<string, unknown> }>): unknown =>
  (body["error"] as Record<string, unknown> | undefined)?.["code"];

describe("a venue server", () => {
  it("refuses a signature that is missing, wrong, of another body, path or method, or stale", async () => {
    const { url, venue } = await openServer();
    const body = submitOf("aqc-1");
    const good = signedRequest({ body });
    const other = signedRequest({ body: submitOf("aqc-2") });
    const wrong = [
      signedRequest({ body, secret: "another secret of 30 letters.." }),
      signedRequest({ body, signature: "" }),
      signedRequest({ body, signature: "0".repeat(64) }),
      { ...good, init: { ...good.init, body: other.init.body ?? "" } },
      { ...good, path: "/v1/children/void" },
      { ...signedRequest({ method: "GET", path: "/v1/time" }), path: "/v1/venue" },
    ];
    for (const request of wrong) expect(codeOf(await send(url, request))).toBe("BAD_SIGNATURE");
    const now = Date.now();
    for (const timeMs of [now - 31_000, now + 31_000, 0])
      expect(codeOf(await send(url, signedRequest({ body, timeMs })))).toBe("STALE");
    expect(venue.submitted).toEqual([]);
    expect((await send(url, good)).body).toMatchObject({ report: { state: "closed" } });
  });

  it("takes an earlier secret beside the new one while it is replaced", async () => {
    const previousSecret = "the secret before this one";
    const { url } = await openServer({ previousSecret } as Options);
    const path = "/v1/venue";
    for (const secret of [SECRET, previousSecret])
      expect((await send(url, signedRequest({ method: "GET", path, secret }))).status).toBe(200);
  });

  it("the same submit again, at once or later, is answered with what happened and never handed over twice", async () => {
    const { url, venue } = await openServer();
    venue.onLookup = ({ childId }) => ({ childId, state: "closed", fills: [] });
    const request = signedRequest({ body: submitOf("aqc-1") });
    const answers = await Promise.all([send(url, request), send(url, request)]);
    answers.push(await send(url, request));
    answers.push(await send(url, signedRequest({ body: submitOf("aqc-1") })));
    for (const { body } of answers)
      expect(body).toMatchObject({ report: { childId: "aqc-1", state: "closed" } });
    expect(venue.submitted).toHaveLength(1);
    const changed = { ...wireChild("aqc-1"), quantity: "2" };
    const differs = signedRequest({
      body: JSON.stringify({ child: changed, notAfterMs: Date.now() + 9_000 }),
    });
    expect(codeOf(await send(url, differs))).toBe("CHILD_DIFFERS");
    venue.onClosedLookup = () => "not-found";
    expect(codeOf(await send(url, request))).toBe("OUTCOME_UNKNOWN");
    expect(venue.submitted).toHaveLength(1);
  });

  it("a submit that was signed before the server started is only looked up", async () => {
    const { url, venue } = await openServer();
    const request = signedRequest({ body: submitOf("aqc-1"), timeMs: Date.now() - 10_000 });
    expect(codeOf(await send(url, request))).toBe("SIGNED_EARLIER");
    venue.onLookup = ({ childId }) => ({ childId, state: "closed", fills: [] });
    expect((await send(url, request)).body).toMatchObject({ report: { state: "closed" } });
    expect(venue.submitted).toEqual([]);
  });

  it("no copy is fresh any more when its id is forgotten", async () => {
    const clock = createManualClock({ startMs: Date.now() });
    const { url, venue } = await openServer({ clock });
    venue.onLookup = ({ childId }) => ({ childId, state: "closed", fills: [] });
    // Signed as far ahead as a signature may be.
    const request = signedRequest({ body: submitOf("aqc-1"), timeMs: clock.nowMs() + 30_000 });
    await send(url, request);
    await clock.advanceBy(60_000, async () => undefined);
    expect((await send(url, request)).status).toBe(200);
    await clock.advanceBy(1, async () => undefined);
    expect(codeOf(await send(url, request))).toBe("STALE");
    expect(venue.submitted).toHaveLength(1);
  });

  it("a copy whose body comes after its signature has become stale is refused, however early its head was", async () => {
    const clock = createManualClock({ startMs: Date.now() });
    const schedule = clock.schedule.bind(clock);
    let timers = 0;
    const counted = (atMs: number, run: () => void): (() => void) => {
      timers++;
      return schedule(atMs, run);
    };
    const { url, port, venue } = await openServer({ clock: Object.assign(clock, { schedule: counted }) });
    const body = submitOf("aqc-1");
    const request = signedRequest({ body, timeMs: clock.nowMs() + 30_000 });
    await send(url, request);
    await clock.advanceBy(60_000, async () => undefined);
    const head = Object.entries(request.init.headers).map(([name, value]) => `${name}: ${value}`);
    const socket = tcp(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (bytes) => {
      answer += String(bytes);
    });
    const before = timers;
    const length = `Content-Length: ${body.length}`;
    socket.write(`POST ${request.path} HTTP/1.1\r\nHost: a\r\n${length}\r\n${head.join("\r\n")}\r\n\r\n`);
    // The head was fresh, so that the server waits for the body.
    await until(() => timers > before, "the head");
    await clock.advanceBy(2_000, async () => undefined);
    socket.write(body);
    await until(() => answer.includes("error") || answer.includes("report"), "the answer");
    expect(answer).toContain("STALE");
    expect(venue.submitted).toHaveLength(1);
  });

  it("an answer tells the time at which it is sent, and not that of its request", async () => {
    const clock = createManualClock({ startMs: Date.now() });
    const { url, venue } = await openServer({ clock });
    venue.onLookup = async () => {
      await clock.advanceBy(1_200, async () => undefined);
      return "not-found" as const;
    };
    const body = JSON.stringify({ child: wireChild("aqc-1") });
    const path = "/v1/children/lookup";
    for (const secret of [SECRET, "another secret of 30 letters.."]) {
      const { init } = signedRequest({ path, body, secret, timeMs: clock.nowMs() });
      const { headers } = await fetch(`${url}${path}`, init);
      expect(headers.get("x-venue-time")).toBe(String(clock.nowMs()));
    }
    const { init } = signedRequest({ method: "GET", path: "/v1/events", timeMs: clock.nowMs() });
    const abort = new AbortController();
    const { headers } = await fetch(`${url}/v1/events`, { ...init, signal: abort.signal });
    expect(headers.get("x-venue-time")).toBe(String(clock.nowMs()));
    abort.abort();
  });

  it("refuses a late child by its own clock, and leaves that to a venue that tells its time", async () => {
    const late = Date.now() - 1;
    const { url, venue } = await openServer();
    const { body } = await send(url, signedRequest({ body: submitOf("aqc-1", late) }));
    expect(body).toMatchObject({ report: { state: "rejected", fills: [] } });
    expect(venue.submitted).toEqual([]);
    const timed = createScriptedVenue();
    const withTime = await openServer({ venue: Object.assign(timed, { venueTimeMs: async () => 5 }) });
    await send(withTime.url, signedRequest({ body: submitOf("aqc-1", late) }));
    expect(timed.deadlines).toEqual([late]);
  });

  it("refuses what is no request of the protocol, with its own code", async () => {
    const { url, venue } = await openServer();
    const child = wireChild("aqc-1");
    const twice = `{"child":${JSON.stringify(child)},"notAfterMs":1,"notAfterMs":9999999999999}`;
    const bodies = [
      ...["", "[]", "{", "null", twice, JSON.stringify({ child })],
      JSON.stringify({ child: { ...child, quantity: 1 }, notAfterMs: 1 }),
      JSON.stringify({ child: { ...child, quantity: "1e3" }, notAfterMs: 1 }),
      JSON.stringify({ child: { ...child, quantity: "0" }, notAfterMs: 1 }),
      JSON.stringify({ child: { ...child, accountId: 1 }, notAfterMs: 1 }),
      JSON.stringify({ child: { ...child, accountId: "9007199254740993" }, notAfterMs: 1 }),
      JSON.stringify({ child, notAfterMs: "1" }),
    ];
    for (const body of bodies)
      expect(codeOf(await send(url, signedRequest({ body }))), body).toBe("BAD_REQUEST");
    const get = (path: string) => send(url, signedRequest({ method: "GET", path }));
    expect(codeOf(await get("/v1/nothing"))).toBe("NOT_FOUND");
    expect(codeOf(await get("/v1/children"))).toBe("WRONG_METHOD");
    expect(codeOf(await get("/v1/time"))).toBe("NO_SUCH_PART");
    expect(codeOf(await get("/v1/market"))).toBe("NO_SUCH_PART");
    expect(codeOf(await get("/v1/events?after=1"))).toBe("BAD_REQUEST");
    expect(codeOf(await send(url, signedRequest({ body: "x".repeat(65_537) })))).toBe("TOO_LARGE");
    expect(venue.submitted).toEqual([]);
  });

  it("does not say what the venue said when it failed", async () => {
    const { url, venue } = await openServer();
    venue.onSubmit = () => new Error("password=hunter2");
    const answer = await send(url, signedRequest({ body: submitOf("aqc-1") }));
    expect(codeOf(answer)).toBe("FAILED");
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  });

  it("limits requests at a time, and the time of an answer", async () => {
    const { url, venue } = await openServer({ limits: { requests: 1, answerMs: 50 } });
    venue.onSubmit = () => "silence";
    const codes = await Promise.all(
      ["aqc-1", "aqc-2"].map(async (childId) =>
        codeOf(await send(url, signedRequest({ body: submitOf(childId) }))),
      ),
    );
    expect(codes.sort()).toEqual(["BUSY", "NO_ANSWER"]);
  });

  it("limits the time of a body", async () => {
    const { port } = await openServer({ limits: { bodyMs: 50 } });
    const { init, path } = signedRequest({ body: submitOf("aqc-1") });
    const head = Object.entries(init.headers).map(([name, value]) => `${name}: ${value}`);
    const socket = tcp(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => {
      answer += String(bytes);
    });
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n${head.join("\r\n")}\r\n\r\n{`);
    await until(() => answer.includes("SLOW_BODY"), "the refusal of the slow body");
  });

  it("strangers whose bodies do not come take no place of a signed request", async () => {
    const { url, port, venue } = await openServer();
    let refused = 0;
    const { init, path } = signedRequest({ body: submitOf("aqc-1") });
    const head = Object.entries(init.headers).map(([name, value]) => `${name}: ${value}`);
    for (let n = 0; n < 300; n++) {
      const socket = tcp(port, "127.0.0.1");
      socket.on("data", (bytes) => {
        if (String(bytes).includes("BUSY")) refused++;
      });
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n${head.join("\r\n")}\r\n\r\n{`);
    }
    await until(() => refused >= 44, "the refusal of those above 256");
    expect((await send(url, signedRequest({ body: submitOf("aqc-2") }))).status).toBe(200);
    expect(venue.submitted.length).toBe(1);
  });

  it("the signal of a submit does not abort when the client leaves after its answer", async () => {
    const scripted = createScriptedVenue();
    const signals: Readonly<{ aborted: boolean }>[] = [];
    const venue: ExecutionVenue = {
      ...scripted,
      submit(child, options) {
        signals.push(options.signal);
        return scripted.submit(child, options);
      },
    };
    const { url, close } = await serveVenue({ venue });
    await send(url, signedRequest({ body: submitOf("aqc-1") }));
    await close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("goes on with a stream after the last number, and says when the history is gone", async () => {
    const { url, venue } = await openServer({ limits: { history: 2 } });
    const open = async (path: string) => {
      const { init } = signedRequest({ method: "GET", path });
      const abort = new AbortController();
      const response = await fetch(`${url}${path}`, { ...init, signal: abort.signal });
      const reader = response.body?.getReader();
      let text = "";
      const lines = async (count: number): Promise<readonly Record<string, unknown>[]> => {
        while (text.split("\n").length <= count)
          text += new TextDecoder().decode((await reader?.read())?.value);
        const whole = text.split("\n").slice(0, count);
        return whole.map((line) => JSON.parse(line) as Record<string, unknown>);
      };
      return { status: response.status, lines, end: () => abort.abort() };
    };
    const say = (childId: string): void => venue.say({ childId, state: "closed", fills: [] });
    const first = await open("/v1/events");
    const [hello] = await first.lines(1);
    expect(hello).toMatchObject({ type: "hello", seq: 0, capabilities: { honoursDeadline: true } });
    say("aqc-1");
    expect((await first.lines(2))[1]).toMatchObject({ type: "report", seq: 1, report: { childId: "aqc-1" } });
    first.end();
    say("aqc-2");
    const stream = String(hello?.["stream"]);
    const second = await open(`/v1/events?stream=${stream}&after=1`);
    expect((await second.lines(2)).map(({ seq }) => seq)).toEqual([1, 2]);
    second.end();
    for (const id of ["aqc-3", "aqc-4", "aqc-5"]) say(id);
    expect((await open(`/v1/events?stream=${stream}&after=2`)).status).toBe(410);
    expect((await open(`/v1/events?stream=another&after=0`)).status).toBe(410);
  });

  it("a reader of reports that comes back takes the place of its old connection, also where all places are taken", async () => {
    const { url } = await openServer({ limits: { streams: 1 } });
    const open = async (path: string) => {
      const { init } = signedRequest({ method: "GET", path });
      const { status, body } = await fetch(`${url}${path}`, init);
      const reader = body?.getReader();
      onTestFinished(() => reader?.cancel().catch(() => undefined));
      return { status, reader, first: new TextDecoder().decode((await reader?.read())?.value) };
    };
    const first = await open("/v1/events");
    const { stream } = JSON.parse(first.first) as { stream: string };
    // The server has not noticed that the old connection is broken, and still counts it.
    const again = await open(`/v1/events?stream=${stream}&after=0`);
    expect([again.status, again.first]).toEqual([200, expect.stringContaining(`"stream":"${stream}"`)]);
    await expect(first.reader?.read()).rejects.toThrow();
    expect((await open("/v1/events")).status).toBe(503);
    expect((await open(`/v1/events?stream=${stream}&after=0`)).status).toBe(200);
  });

  it.each(["/v1/events", "/v1/market"])(
    "where all places are taken, a reader of %s takes that of one of its address which has come a minute before",
    async (path) => {
      const clock = createManualClock({ startMs: Date.now() });
      const { url } = await openServer({ limits: { streams: 2 }, marketData: createMarketFeed(), clock });
      const open = async (from = "") => {
        const { init } = signedRequest({ method: "GET", path: `${path}${from}`, timeMs: clock.nowMs() });
        const { status, body } = await fetch(`${url}${path}${from}`, init);
        const reader = body?.getReader();
        onTestFinished(() => reader?.cancel().catch(() => undefined));
        return { status, reader };
      };
      const pass = (ms: number) => clock.advanceBy(ms, async () => undefined);
      // Its host is gone, and its connection tells nothing of it.
      const gone = await open();
      await pass(1_000);
      const there = await open();
      await pass(58_999);
      expect((await open()).status).toBe(503);
      await pass(1);
      // One that cannot go on where it wants takes no place.
      expect((await open("?stream=another&after=0")).status).toBe(410);
      expect((await open()).status).toBe(200);
      const end = async ({ reader }: typeof gone): Promise<void> => {
        while ((await reader?.read())?.done === false);
      };
      await expect(end(gone)).rejects.toThrow();
      expect((await there.reader?.read())?.done).toBe(false);
      expect((await open("?stream=another&after=0")).status).toBe(410);
      expect((await open()).status).toBe(503);
    },
  );

  it("a reader that begins anew gets the current quotes, and none of the trades before", async () => {
    const feed = createMarketFeed();
    const { url } = await openServer({ marketData: feed, clock: createSystemClock() });
    for (const bid of ["1", "2"]) feed.quote({ symbol: "BTC/USD", bid, ask: "3" });
    feed.print({ symbol: "BTC/USD", price: "2", quantity: "1", id: "p", timeMs: 5 });
    feed.quote({ symbol: "ETH/USD", bid: "7", ask: "8", timeMs: 6 });
    const path = "/v1/market";
    const { init } = signedRequest({ method: "GET", path });
    const reader = (await fetch(`${url}${path}`, init)).body?.getReader();
    let text = "";
    while (text.split("\n").length <= 3) text += new TextDecoder().decode((await reader?.read())?.value);
    const [, ...lines] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const now = expect.any(Number);
    // Without numbers: the reader takes 4, the number of the first line, as read. BTC/USD had no time; read later, it must not count as one of that moment.
    expect(lines).toEqual([
      { type: "quote", quote: { symbol: "BTC/USD", bid: "2", ask: "3", timeMs: now } },
      { type: "quote", quote: { symbol: "ETH/USD", bid: "7", ask: "8", timeMs: 6 } },
    ]);
    await reader?.cancel();
    const client = await connect(url);
    onTestFinished(() => client.close());
    const received: string[] = [];
    client.marketData?.subscribe({
      quote: ({ bid }) => {
        received.push(bid);
        return "counted";
      },
      heartbeat: () => undefined,
      print: ({ id }) => void received.push(id),
    });
    await until(() => received.length === 2, "the current quotes");
    feed.quote({ symbol: "BTC/USD", bid: "9", ask: "10" });
    await until(() => received.length > 2, "the next quote");
    expect(received).toEqual(["2", "7", "9"]);
  });

  it("a trade arrives with its place in the log of its market, or without one, as it was said", async () => {
    const feed = createMarketFeed();
    const { url } = await openServer({ marketData: feed, clock: createSystemClock() });
    feed.quote({ symbol: "BTC/USD", bid: "2", ask: "3" });
    const client = await connect(url);
    onTestFinished(() => client.close());
    const received: unknown[] = [];
    client.marketData?.subscribe({
      quote: ({ bid }) => {
        received.push(bid);
        return "counted";
      },
      heartbeat: () => undefined,
      print: (print) => void received.push(print),
    });
    const trade = { symbol: "BTC/USD", price: "2", quantity: "1", timeMs: 5 };
    const trades = [
      { ...trade, id: "a", sequence: 7, total: "90071992547409931.000001" },
      { ...trade, id: "b" },
    ];
    await until(() => received.length === 1, "the current quote");
    for (const one of trades) feed.print(one);
    await until(() => received.length === 3, "the trades");
    expect(received.slice(1)).toEqual(trades);
  });

  it("stops when it is closed: streams end, requests are refused, and the venue is not heard", async () => {
    const { url, server, venue } = await openServer();
    const path = "/v1/events";
    const response = await fetch(`${url}${path}`, signedRequest({ method: "GET", path }).init);
    server.close();
    expect(await response.text()).toMatch(/^\{"type":"hello"/);
    expect(codeOf(await send(url, signedRequest({ body: submitOf("aqc-1") })))).toBe("CLOSING");
    venue.say({ childId: childOf().childId, state: "closed", fills: [] });
  });
});
