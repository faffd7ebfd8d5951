import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type {
  ForwardedRequest,
  PeerCall,
  PeerReceiver,
  PeerSink,
  PeerSubscription,
} from "../../../src/cluster/index.ts";
import { createPeerLink, type PeerLink, type PeerLinkOptions } from "../../../src/cluster/index.ts";

const HOST = "127.0.0.1";
const SECRET = "a secret of all nodes";

const REQUEST: ForwardedRequest = {
  ...{ form: "SUBSCRIPTION", incarnation: 3, expiresAtMs: 1_790_000_000_000, usedWeight: 2 },
  ...{ remoteAddress: "192.0.2.7", method: "GET", target: "/ws/listenKey", rawHeaders: [] },
  body: Buffer.from("{}"),
};

const quiet = { event: () => undefined };

function linkOf(limits: PeerLinkOptions["limits"] = {}): PeerLink {
  const link = createPeerLink({ secret: SECRET, security: "loopback", telemetry: quiet, limits });
  onTestFinished(() => link.close({ graceMs: 0 }));
  return link;
}

/** What a node has opened: the sink of each stream, whether it was started, and whether it was ended. */
type Opened = { readonly sink: PeerSink; started: boolean; ended: boolean };

type Node = Readonly<{ link: PeerLink; address: string; opened: Opened[]; port: number }>;

/** A node that opens every stream. `first` runs before the answer, `afterwards` right after the start. */
async function nodeOf(
  limits: PeerLinkOptions["limits"] = {},
  {
    first = async () => undefined,
    start = () => undefined,
  }: Partial<Record<"first", () => Promise<void>>> & Partial<Record<"start", (sink: PeerSink) => void>> = {},
): Promise<Node> {
  const link = linkOf(limits);
  const opened: Opened[] = [];
  const receiver: PeerReceiver = {
    receive: () => ({ kind: "reply", response: { status: 200, headers: {}, body: "read" } }),
    async subscribe(_request, sink) {
      const stream: Opened = { sink, started: false, ended: false };
      opened.push(stream);
      await first();
      return {
        kind: "stream",
        response: { status: 200, headers: {}, body: "open" },
        start: () => {
          stream.started = true;
          start(sink);
        },
        end: () => {
          stream.ended = true;
        },
      };
    },
  };
  link.serve(receiver);
  const { port } = await link.listen({ host: HOST, port: 0 });
  return { link, address: `${HOST}:${port}`, opened, port };
}

/** The receiving end of a stream. */
class Reader implements PeerSink {
  readonly events: string[] = [];
  ends = 0;
  #wake: () => void = () => undefined;

  event(text: string): void {
    this.events.push(text);
    this.#wake();
  }

  ended(): void {
    this.ends++;
    this.#wake();
  }

  /** Resolves once this holds, which is checked at every event and at the end. */
  async until(holds: (reader: Reader) => boolean): Promise<void> {
    while (!holds(this))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}

const callTo = (address: string, waitMs = 5_000): PeerCall => ({ address, request: REQUEST, waitMs });

const open = (
  link: PeerLink,
  node: Pick<Node, "address">,
  reader: PeerSink,
  waitMs?: number,
): Promise<PeerSubscription> => link.subscribe(callTo(node.address, waitMs), reader);

/** Resolves once something holds that only the other side of a connection can bring about. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A way to a node that can stop to carry bytes while its connections stay open. */
async function tunnelTo(port: number): Promise<Readonly<{ address: string; freeze: () => void }>> {
  const open = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(port, HOST);
    for (const socket of [inside, outside]) open.add(socket.on("error", () => undefined));
    inside.pipe(outside).pipe(inside);
  }).listen(0, HOST);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const bound = server.address();
  return {
    address: `${HOST}:${typeof bound === "object" ? bound?.port : 0}`,
    freeze: () => {
      for (const socket of open) socket.unpipe().pause();
    },
  };
}

describe("a stream over the link", () => {
  it("has every event once and in order, beside the replies of other requests", async () => {
    const node = await nodeOf();
    const [link, reader] = [linkOf(), new Reader()];
    const { outcome } = await open(link, node, reader);
    expect(outcome).toMatchObject({ kind: "reply", response: { body: "open" } });
    const texts = Array.from({ length: 500 }, (_, n) => `{"n":${n},"odd":"\u00ff"}`);
    const replies = texts
      .slice(0, 20)
      .map(() => link.send({ ...callTo(node.address), request: { ...REQUEST, form: "REST" } }));
    for (const text of texts) node.opened[0]?.sink.event(text);
    await reader.until(({ events }) => events.length >= texts.length);
    expect(reader.events).toEqual(texts);
    expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(replies.map(() => "reply"));
  });

  it("events right after the start follow the reply, and the end comes after them, once", async () => {
    const node = await nodeOf(
      {},
      {
        start: (sink) => {
          for (const text of ["a", "b"]) sink.event(text);
        },
      },
    );
    const reader = new Reader();
    await open(linkOf(), node, reader);
    node.opened[0]?.sink.ended();
    node.opened[0]?.sink.ended();
    node.opened[0]?.sink.event("late");
    await reader.until(({ ends }) => ends > 0);
    expect([reader.events, reader.ends]).toEqual([["a", "b"], 1]);
  });

  it("ends at the owner when it is not wanted any more, and what comes after is dropped", async () => {
    const node = await nodeOf();
    const [link, first, second] = [linkOf(), new Reader(), new Reader()];
    const { end } = await open(link, node, first);
    await open(link, node, second);
    end();
    end();
    node.opened[0]?.sink.event("late");
    await eventually(() => node.opened[0]?.ended === true);
    node.opened[1]?.sink.event("kept");
    await second.until(({ events }) => events.length > 0);
    expect([first.events, first.ends, second.events]).toEqual([[], 0, ["kept"]]);
    expect(node.opened[1]?.ended).toBe(false);
  });

  it("a stream that is opened after nobody waits for it any more is ended", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const node = await nodeOf({}, { first: () => held });
    const link = linkOf();
    // Another answer in between keeps the connection.
    const late = open(link, node, new Reader(), 200);
    await eventually(() => node.opened.length === 1);
    const requested = { ...callTo(node.address), request: { ...REQUEST, form: "REST" as const } };
    expect((await link.send(requested)).kind).toBe("reply");
    expect((await late).outcome.kind).toBe("lost");
    // The request that ends the stream goes before this one.
    expect((await link.send(requested)).kind).toBe("reply");
    release();
    await eventually(() => node.opened[0]?.ended === true);
    expect(node.opened[0]?.started).toBe(false);
  });
});

describe("a link that breaks ends its streams at both sides", () => {
  it.each(["the owner closes", "the other node closes"])("%s", async (who) => {
    const node = await nodeOf();
    const [link, reader] = [linkOf(), new Reader()];
    await open(link, node, reader);
    await (who === "the owner closes" ? node.link : link).close({ graceMs: 0 });
    await reader.until(({ ends }) => ends > 0);
    await eventually(() => node.opened[0]?.ended === true);
    expect(reader.ends).toBe(1);
  });

  it("half open: neither side hears the other one, and both give the streams up", async () => {
    const limits = { silentMs: 150 };
    const node = await nodeOf(limits);
    const tunnel = await tunnelTo(node.port);
    const reader = new Reader();
    await open(linkOf(limits), tunnel, reader);
    tunnel.freeze();
    await reader.until(({ ends }) => ends > 0);
    await eventually(() => node.opened[0]?.ended === true);
    expect(reader.ends).toBe(1);
  });

  it.each([
    { silentMs: 300, idleMs: 400 },
    { silentMs: 2_000, idleMs: 200 },
  ])(
    "a stream without events stays open while both sides are there, past the time of silence and of idle connections: %o",
    async (limits) => {
      const node = await nodeOf(limits);
      const reader = new Reader();
      await open(linkOf(limits), node, reader);
      const untilMs = performance.now() + 1_300;
      await eventually(() => performance.now() > untilMs);
      node.opened[0]?.sink.event("still here");
      await reader.until(({ events, ends }) => events.length + ends > 0);
      expect([reader.events, reader.ends]).toEqual([["still here"], 0]);
    },
  );

  it("after the last stream has ended while another was asked for and refused, silence ends nothing", async () => {
    const limits = { silentMs: 60 };
    const [node, link] = [linkOf(limits), linkOf(limits)];
    let [requested, hasEnded, refuse] = [0, false, (): void => undefined];
    node.serve({
      async receive() {
        const untilMs = performance.now() + 200;
        await eventually(() => performance.now() > untilMs);
        return { kind: "reply", response: { status: 200, headers: {}, body: "placed" } };
      },
      async subscribe() {
        requested++;
        if (requested === 1) {
          const end = (): void => {
            hasEnded = true;
          };
          const response = { status: 200, headers: {}, body: "open" };
          return { kind: "stream", response, start: () => undefined, end };
        }
        await new Promise<void>((resolve) => {
          refuse = resolve;
        });
        return { kind: "refused", reason: "ELSEWHERE" };
      },
    });
    const { port } = await node.listen({ host: HOST, port: 0 });
    const at = { address: `${HOST}:${port}` };
    const first = await open(link, at, new Reader());
    const second = open(link, at, new Reader());
    await eventually(() => requested === 2);
    first.end();
    await eventually(() => hasEnded);
    refuse();
    expect((await second).outcome).toMatchObject({ kind: "refused", reason: "ELSEWHERE" });
    const call = { ...callTo(at.address), request: { ...REQUEST, form: "REST" as const } };
    expect(await link.send(call)).toMatchObject({ kind: "reply", response: { body: "placed" } });
  });
});

describe("bounds of streams", () => {
  it("a node that does not read loses the stream whose event does not fit, and nothing grows", async () => {
    const node = await nodeOf({ eventBytes: 65_536 });
    const tunnel = await tunnelTo(node.port);
    const [link, reader] = [linkOf(), new Reader()];
    await open(link, tunnel, reader);
    tunnel.freeze();
    const event = "x".repeat(16_384);
    // The sockets between the nodes hold some megabytes.
    for (let n = 0; n < 4_000 && node.opened[0]?.ended === false; n++) {
      node.opened[0]?.sink.event(event);
      if (n % 16 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(node.opened[0]?.ended).toBe(true);
  });

  it("streams of one connection are bounded at both sides, and one that ends makes room", async () => {
    const wide = await nodeOf();
    const narrow = await nodeOf({ streams: 2 });
    const link = linkOf({ streams: 3 });
    const kinds = async (node: Node, times: number, by: PeerLink): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let n = 0; n < times; n++) seen.push((await open(by, node, new Reader())).outcome.kind);
      return seen;
    };
    expect(await kinds(wide, 4, link)).toEqual(["reply", "reply", "reply", "unsent"]);
    const other = linkOf();
    expect(await kinds(narrow, 3, other)).toEqual(["reply", "reply", "refused"]);
    expect([...narrow.link.refusals()]).toEqual([["BUSY", 1]]);
    narrow.opened[0]?.sink.ended();
    expect(await kinds(narrow, 1, other)).toEqual(["reply"]);
  });

  it("a node whose service opens no streams refuses them", async () => {
    const link = linkOf();
    link.serve({ receive: () => ({ kind: "refused", reason: "BUSY" }) });
    const { port } = await link.listen({ host: HOST, port: 0 });
    const { outcome, end } = await open(linkOf(), { address: `${HOST}:${port}` }, new Reader());
    expect(outcome).toEqual({ kind: "refused", reason: "MALFORMED" });
    end();
  });
});
