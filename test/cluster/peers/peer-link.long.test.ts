import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ForwardedRequest, PeerAnswer, PeerOutcome, PeerReceiver } from "../../../src/cluster/index.ts";
import { createPeerLink, type PeerLink, type PeerLinkOptions } from "../../../src/cluster/index.ts";
import { type Frame, FrameReader, frameOf, sealRequest } from "../../../src/cluster/peers/protocol.ts";
import { CA, CERTIFICATES } from "../../support/peer-certificates.ts";

const SECRET = "a secret of all nodes";
const HOST = "127.0.0.1";
const WAIT_MS = 5_000;

const REQUEST: ForwardedRequest = {
  form: "REST",
  incarnation: 3,
  expiresAtMs: 1_790_000_000_000,
  usedWeight: 12,
  remoteAddress: "192.0.2.7",
  method: "POST",
  target: "/api/order?nonce=1",
  rawHeaders: ["X-MBX-APIKEY", "key"],
  body: Buffer.from('{"symbol":"BTC/USD"}'),
};

const OK: PeerAnswer = {
  kind: "reply",
  response: {
    status: 200,
    headers: { "X-Request-Id": "1" },
    body: '{"ok":true}',
  },
};

type Node = Readonly<{
  link: PeerLink;
  address: string;
  port: number;
  received: ForwardedRequest[];
}>;

const quiet = { event: () => undefined };

function linkOf(options: Partial<PeerLinkOptions> = {}): PeerLink {
  const link = createPeerLink({
    secret: SECRET,
    security: "loopback",
    telemetry: quiet,
    ...options,
  });
  onTestFinished(() => link.close({ graceMs: 0 }));
  return link;
}

/** A node that answers as `receive` says. */
async function nodeOf(
  receive: PeerReceiver["receive"] = () => OK,
  options: Partial<PeerLinkOptions> = {},
): Promise<Node> {
  const link = linkOf(options);
  const received: ForwardedRequest[] = [];
  link.serve({
    receive(request) {
      received.push(request);
      return receive(request);
    },
  });
  const { port } = await link.listen({ host: HOST, port: 0 });
  return { link, address: `${HOST}:${port}`, port, received };
}

/** A connection that speaks frames by hand. */
async function byHand(port: number): Promise<
  Readonly<{
    socket: Socket;
    session: string;
    next: () => Promise<Frame | undefined>;
    write: (number: number, payload: Uint8Array) => void;
  }>
> {
  const socket = connect(port, HOST);
  onTestFinished(() => void socket.destroy());
  const reader = new FrameReader(1_000_000);
  const frames: Frame[] = [];
  let wake: () => void = () => undefined;
  socket.on("data", (chunk: Buffer) => {
    frames.push(...reader.read(chunk).frames);
    wake();
  });
  socket.on("error", () => undefined).on("close", () => wake());
  const next = async (): Promise<Frame | undefined> => {
    while (frames.length === 0 && !socket.destroyed) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift();
  };
  const hello = await next();
  const session = Buffer.from(hello?.payload ?? []).toString();
  const write = (number: number, payload: Uint8Array): void =>
    void socket.write(frameOf({ kind: "request", number, payload }));
  return { socket, session, next, write };
}

/** A server that is no node: `behave` has each of its connections. */
async function impostor(behave: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    behave(socket.on("error", () => undefined));
  }).listen(0, HOST);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const bound = server.address();
  return `${HOST}:${typeof bound === "object" ? bound?.port : 0}`;
}

const hello = frameOf({
  kind: "hello",
  number: 0,
  payload: Buffer.from("00".repeat(16)),
});
const send = (link: PeerLink, address: string, waitMs = WAIT_MS): Promise<PeerOutcome> =>
  link.send({ address, request: REQUEST, waitMs });
const textOf = (frame: Frame | undefined): string =>
  frame === undefined ? "closed" : `${frame.kind} ${frame.number} ${Buffer.from(frame.payload)}`;

describe("a request travels to another node and its answer back", () => {
  it("byte for byte, over one connection for many at a time", async () => {
    const node = await nodeOf((request) => ({
      kind: "reply",
      response: { status: 200, headers: {}, body: request.target },
    }));
    const link = linkOf();
    const targets = Array.from({ length: 50 }, (_, n) => `/api/order?n=${n}&odd=\u00ff`);
    const outcomes = await Promise.all(
      targets.map((target) =>
        link.send({
          address: node.address,
          waitMs: WAIT_MS,
          request: { ...REQUEST, target },
        }),
      ),
    );
    expect(outcomes.map((outcome) => (outcome.kind === "reply" ? outcome.response.body : outcome))).toEqual(
      targets,
    );
    expect(node.received[0]).toEqual({ ...REQUEST, target: targets[0] });
    expect(node.link.refusals().size).toBe(0);
  });

  it("a refusal of the receiver is told and counted", async () => {
    const node = await nodeOf(() => ({ kind: "refused", reason: "ELSEWHERE" }));
    expect(await send(linkOf(), node.address)).toEqual({
      kind: "refused",
      reason: "ELSEWHERE",
    });
    expect([...node.link.refusals()]).toEqual([["ELSEWHERE", 1]]);
  });

  it("before anybody serves, a request is for another node", async () => {
    const link = linkOf();
    const { port } = await link.listen({ host: HOST, port: 0 });
    expect(await send(linkOf(), `${HOST}:${port}`)).toEqual({
      kind: "refused",
      reason: "WRONG_NODE",
    });
  });

  it("a receiver that throws, and a reply that is too long, leave the outcome of a write unknown", async () => {
    const body = "x".repeat(2_000);
    const limits = { replyBytes: 1_024 };
    const long = await nodeOf(() => ({ kind: "reply", response: { status: 200, headers: {}, body } }), {
      limits,
    });
    const broken = await nodeOf(() => Promise.reject(new Error("broken")));
    for (const { address } of [long, broken])
      expect(await send(linkOf({ limits }), address)).toMatchObject({
        kind: "reply",
        response: { status: 500, body: expect.stringContaining("-1006") },
      });
  });
});

describe("what is not sealed for its place never reaches the service", () => {
  it("a forged seal is refused, counted, and ends the connection", async () => {
    const node = await nodeOf();
    const { session, write, next } = await byHand(node.port);
    write(1, sealRequest("a secret of nobody", { session, number: 1 }, REQUEST));
    expect([textOf(await next()), textOf(await next())]).toEqual(["refusal 1 SEAL", "closed"]);
    expect([node.received.length, ...node.link.refusals()]).toEqual([0, ["SEAL", 1]]);
  });

  it("a frame that comes twice is executed once", async () => {
    const node = await nodeOf();
    const { session, write, next } = await byHand(node.port);
    const sealed = sealRequest(SECRET, { session, number: 1 }, REQUEST);
    write(1, sealed);
    write(1, sealed);
    write(2, sealRequest(SECRET, { session, number: 2 }, REQUEST));
    expect([(await next())?.number, (await next())?.number]).toEqual([1, 2]);
    expect([node.received.length, ...node.link.refusals()]).toEqual([2, ["REPLAYED", 1]]);
  });

  it("a frame that was recorded is worthless on another connection, and under another number", async () => {
    const node = await nodeOf();
    const first = await byHand(node.port);
    const sealed = sealRequest(SECRET, { session: first.session, number: 1 }, REQUEST);
    first.write(1, sealed);
    expect((await first.next())?.kind).toBe("reply");
    const second = await byHand(node.port);
    second.write(1, sealed);
    expect(textOf(await second.next())).toBe("refusal 1 SEAL");
    first.write(2, sealed);
    expect(textOf(await first.next())).toBe("refusal 2 SEAL");
    expect(node.received).toHaveLength(1);
  });

  it.each([
    ["text of another protocol", Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "TOO_LONG|MALFORMED"],
    ["a frame that claims 4 GB", Buffer.from([255, 255, 255, 255, 2, 1, 0, 0, 0, 1]), "TOO_LONG"],
    [
      "an answer in place of a request",
      frameOf({ kind: "reply", number: 1, payload: new Uint8Array(9) }),
      "MALFORMED",
    ],
  ])("%s is refused and ends the connection", async (_, sent, reason) => {
    const node = await nodeOf();
    const { socket, next } = await byHand(node.port);
    socket.write(sent);
    expect((await next())?.kind).toBe("refusal");
    expect(await next()).toBeUndefined();
    expect([...node.link.refusals().keys()].join("")).toMatch(new RegExp(`^(${reason})$`));
    expect(node.received).toHaveLength(0);
  });

  it("a request that never ends is given up, and others are served meanwhile", async () => {
    const node = await nodeOf(() => OK, { limits: { frameMs: 50 } });
    const slow = await byHand(node.port);
    const frame = frameOf({
      kind: "request",
      number: 1,
      payload: new Uint8Array(500),
    });
    slow.socket.write(frame.subarray(0, 100));
    expect(await send(linkOf(), node.address)).toEqual(OK);
    expect(await slow.next()).toBeUndefined();
  });

  it("a stranger does not bring a node down whose telemetry throws", async () => {
    const errors: unknown[] = [];
    const note = (error: unknown): void => void errors.push(error);
    process.on("uncaughtException", note);
    onTestFinished(() => void process.off("uncaughtException", note));
    const event = (): void => {
      throw new Error("the host's telemetry fails");
    };
    const node = await nodeOf(undefined, { telemetry: { event } });
    const stranger = connect(node.port, HOST).on("error", () => undefined);
    stranger.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    stranger.resume();
    await once(stranger, "close");
    expect(await send(linkOf(), node.address)).toEqual(OK);
    expect(errors).toEqual([]);
  });

  it("connections of one address are bounded", async () => {
    const node = await nodeOf(() => OK, {
      limits: { connectionsPerAddress: 2 },
    });
    await byHand(node.port);
    await byHand(node.port);
    const third = connect(node.port, HOST).on("error", () => undefined);
    await once(third, "close");
    expect(third.bytesRead).toBe(0);
  });
});

describe("what became of a request is known, or said to be unknown", () => {
  it.each([
    ["nobody listens", () => impostor(() => undefined).then(() => `${HOST}:1`)],
    ["the address is none", async () => "nowhere"],
    ["the other side closes at once", () => impostor((socket) => socket.destroy())],
    ["the other side says nothing", () => impostor(() => undefined)],
    ["the other side is no node", () => impostor((socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\n"))],
  ])("%s: nothing was handed over", async (_, addressOf) => {
    const link = linkOf({ limits: { connectMs: 100 } });
    expect((await send(link, await addressOf())).kind).toBe("unsent");
  });

  it.each([
    ["ends the connection", (socket: Socket) => void socket.on("data", () => socket.destroy())],
    ["hangs", () => undefined],
    [
      "answers with what cannot be read",
      (socket: Socket) =>
        void socket.on("data", () =>
          socket.write(frameOf({ kind: "reply", number: 1, payload: Buffer.from("??") })),
        ),
    ],
    [
      "answers with more than is allowed",
      (socket: Socket) => void socket.on("data", () => socket.write(Buffer.alloc(10, 255))),
    ],
  ])("a node that takes the request and then %s: the outcome is lost", async (_, behave) => {
    const address = await impostor((socket) => {
      socket.write(hello);
      behave(socket);
    });
    expect((await send(linkOf(), address, 100)).kind).toBe("lost");
  });

  it("the side that asks ends an idle connection, so that no request meets its end", async () => {
    const node = await nodeOf(() => OK, { limits: { idleMs: 60 } });
    const ended: string[] = [];
    const closed: Promise<unknown>[] = [];
    const address = await impostor((requesting) => {
      const answering = connect(node.port, HOST).on("error", () => undefined);
      requesting.on("end", () => ended.push("asking"));
      answering.on("end", () => ended.push("answering"));
      closed.push(once(requesting, "close"));
      requesting.pipe(answering).pipe(requesting);
    });
    const link = linkOf({ limits: { idleMs: 60 } });
    expect(await link.send({ address, waitMs: WAIT_MS, request: REQUEST })).toEqual(OK);
    await Promise.all(closed);
    expect(ended[0]).toBe("asking");
  });

  it("a late answer and one that nobody asked for are dropped", async () => {
    let answers = 0;
    const address = await impostor((socket) => {
      socket.write(hello);
      socket.on("data", () => {
        answers++;
        for (const number of [99, answers])
          socket.write(frameOf({ kind: "refusal", number, payload: Buffer.from("BUSY") }));
      });
    });
    const link = linkOf();
    for (let n = 0; n < 2; n++)
      expect(await send(link, address)).toEqual({
        kind: "refused",
        reason: "BUSY",
      });
  });

  it("complaint of one node: another one that hangs holds a bounded number of requests", async () => {
    const address = await impostor((socket) => void socket.write(hello));
    const node = await nodeOf();
    const link = linkOf({ limits: { requests: 3 } });
    const hanging = [1, 2, 3].map(() => send(link, address, 200));
    expect((await send(link, address)).kind).toBe("unsent");
    expect(await send(link, node.address)).toEqual(OK);
    expect((await Promise.all(hanging)).map(({ kind }) => kind)).toEqual(["lost", "lost", "lost"]);
  });

  it("a node answers a bounded number of requests of one connection, and of all", async () => {
    let open: (() => void)[] = [];
    const wait = (): Promise<PeerAnswer> =>
      new Promise((resolve) => {
        open.push(() => resolve(OK));
      });
    const node = await nodeOf(wait, { limits: { requests: 2 } });
    const small = await nodeOf(wait, { limits: { heldBytes: 1_024 } });
    const link = linkOf();
    const under = [send(link, node.address), send(link, node.address)];
    expect(await send(link, node.address)).toEqual({
      kind: "refused",
      reason: "BUSY",
    });
    const large = { ...REQUEST, body: new Uint8Array(600) };
    const first = link.send({
      address: small.address,
      request: large,
      waitMs: WAIT_MS,
    });
    expect(
      await link.send({
        address: small.address,
        request: large,
        waitMs: WAIT_MS,
      }),
    ).toEqual({
      kind: "refused",
      reason: "BUSY",
    });
    for (const answer of open) answer();
    open = [];
    expect(await Promise.all([...under, first])).toEqual([OK, OK, OK]);
  });

  it("a request that is too long is not sent", async () => {
    const node = await nodeOf();
    const request = { ...REQUEST, body: new Uint8Array(200_000) };
    expect(await linkOf().send({ address: node.address, request, waitMs: WAIT_MS })).toEqual({
      kind: "unsent",
      reason: "the request is too long",
    });
  });

  it("a link that closes answers what is under way and refuses the rest", async () => {
    let answer: () => void = () => undefined;
    const requested = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const node = await nodeOf(() => requested.then(() => OK));
    const link = linkOf();
    const under = send(link, node.address);
    await expect.poll(() => node.received.length).toBe(1);
    const closing = node.link.close();
    expect(await send(link, node.address)).toEqual({
      kind: "refused",
      reason: "CLOSING",
    });
    answer();
    expect(await under).toEqual(OK);
    await closing;
    // What is written before the end of the connection is noticed may have been read.
    await expect.poll(async () => (await send(link, node.address)).kind).toBe("unsent");
    expect(node.received).toHaveLength(1);
    await link.close();
    expect(await send(link, node.address)).toEqual({
      kind: "unsent",
      reason: "the link is closed",
    });
  });
});

describe("nodes know each other by certificates whose names are in the settings", () => {
  const tls = (
    who: keyof typeof CERTIFICATES,
    names?: readonly string[],
  ): Pick<PeerLinkOptions, "security"> => ({
    security: { ...CERTIFICATES[who], ca: CA, ...(names && { names }) },
  });
  const NAMES = ["node-1.test", "node-2.test"];

  it("two nodes of the same authority, with names from the list", async () => {
    const node = await nodeOf(() => OK, tls("node1", NAMES));
    expect(await send(linkOf(tls("node2", NAMES)), node.address)).toEqual(OK);
  });

  it("strangers that begin no handshake take no place of a node, and the log says that they crowd", async () => {
    const events: string[] = [];
    const telemetry = { event: (_: string, name: string) => void events.push(name) };
    const node = await nodeOf(() => OK, { ...tls("node1", NAMES), telemetry });
    const strangers = Array.from({ length: 300 }, () =>
      connect(node.port, HOST).on("error", () => undefined),
    );
    onTestFinished(() => {
      for (const socket of strangers) socket.destroy();
    });
    await Promise.all(strangers.map((socket) => once(socket, "connect")));
    expect(await send(linkOf(tls("node2", NAMES)), node.address)).toEqual(OK);
    expect(events.filter((name) => name === "peer.crowded")).toEqual(["peer.crowded"]);
  });

  it.each([
    ["a certificate of another authority", tls("forged", NAMES)],
    ["a name that is not in the list", tls("stranger", NAMES)],
    ["no TLS", {}],
  ])("a caller with %s is not served, and nothing is handed over", async (_, options) => {
    const node = await nodeOf(() => OK, tls("node1", NAMES));
    const link = linkOf({ ...options, limits: { connectMs: 1_000 } });
    expect((await send(link, node.address)).kind).toBe("unsent");
    expect(node.received).toHaveLength(0);
  });

  it.each([
    ["a certificate of another authority", tls("forged", NAMES)],
    ["a name that is not in the list", tls("stranger")],
    ["no TLS", {}],
  ])("nothing is handed over to a listener with %s", async (_, options) => {
    const node = await nodeOf(() => OK, options);
    const link = linkOf({
      ...tls("node2", NAMES),
      limits: { connectMs: 1_000 },
    });
    expect((await send(link, node.address)).kind).toBe("unsent");
    expect(node.received).toHaveLength(0);
  });

  it("without names, every certificate of the authority is a node's", async () => {
    const node = await nodeOf(() => OK, tls("stranger"));
    expect(await send(linkOf(tls("node2")), node.address)).toEqual(OK);
  });

  it("without TLS, only addresses of this machine are used", async () => {
    const link = linkOf();
    await expect(link.listen({ host: "0.0.0.0", port: 0 })).rejects.toThrow(/^listen.host: without TLS/);
    expect(await send(link, "192.0.2.1:7443")).toMatchObject({
      kind: "unsent",
    });
    expect(await send(link, "localhost:7443")).toMatchObject({
      kind: "unsent",
    });
  });

  it("no message shows a key", () => {
    const { key, cert } = CERTIFICATES.node1;
    const wrong = [
      { key: key.slice(28), cert, ca: CA },
      { key: new URL("https://example.com/key"), cert, ca: CA },
      { key: new URL("file:///nowhere/node.key"), cert, ca: CA },
      { key: new TextEncoder().encode(key), cert, ca: CA },
    ];
    for (const security of wrong) {
      const make = (): PeerLink => createPeerLink({ secret: SECRET, security: security as never });
      expect(make).toThrow(/createPeerLink\.security\.key/);
      expect(make).not.toThrow(new RegExp(key.split("\n")[1] ?? "", "u"));
    }
  });
});
