import { describe, expect, it, onTestFinished } from "vitest";
import type { ForwardedRequest, PeerAnswer, PeerOutcome } from "../../../src/cluster/index.ts";
import { createPeerLink, type PeerLink } from "../../../src/cluster/index.ts";

const SECRET = "a secret of all nodes";
const HOST = "127.0.0.1";
const quiet = { event: () => undefined };

const REQUEST: ForwardedRequest = {
  ...{ form: "REST", incarnation: 3, expiresAtMs: 1_790_000_000_000, usedWeight: 2 },
  ...{ remoteAddress: "192.0.2.7", method: "POST", target: "/", rawHeaders: [] },
  body: new Uint8Array(),
};
const DONE = { status: 200, headers: {}, body: "{}" };
const OK: PeerAnswer = { kind: "reply", response: DONE };

function linkOf(): PeerLink {
  const link = createPeerLink({ secret: SECRET, security: "loopback", telemetry: quiet });
  onTestFinished(() => link.close({ graceMs: 0 }));
  return link;
}

/** A node that never answers `/never`, answers `/later` once `answer` is called, and everything else at once. */
async function openNode() {
  const link = linkOf();
  let answer: () => void = () => undefined;
  const later = new Promise<PeerAnswer>((resolve) => {
    answer = () => resolve(OK);
  });
  const received: string[] = [];
  link.serve({
    async receive({ target }) {
      received.push(target);
      if (target === "/never") return await new Promise<PeerAnswer>(() => undefined);
      return target === "/later" ? await later : OK;
    },
    subscribe: () => ({ kind: "stream", response: DONE, start: () => undefined, end: () => undefined }),
  });
  const { port } = await link.listen({ host: HOST, port: 0 });
  const address = `${HOST}:${port}`;
  const own = linkOf();
  const send = (target: string, waitMs = 5_000): Promise<PeerOutcome> =>
    own.send({ address, waitMs, request: { ...REQUEST, target } });
  return { own, address, received, answer, send };
}

describe("a request that its owner does not answer in time costs only its own outcome", () => {
  it("streams go on, and other requests are answered", async () => {
    const { own, address, answer, send } = await openNode();
    let ends = 0;
    const sink = { event: () => undefined, ended: () => void ends++ };
    const request: ForwardedRequest = { ...REQUEST, form: "SUBSCRIPTION", method: "GET" };
    const { outcome } = await own.subscribe({ address, waitMs: 5_000, request }, sink);
    expect(outcome.kind).toBe("reply");
    const slow = send("/never", 50);
    const other = send("/later");
    expect((await slow).kind).toBe("lost");
    answer();
    expect(await other).toEqual(OK);
    expect(ends).toBe(0);
  });

  it("without streams, further requests have a new connection, and those under way are still answered", async () => {
    const { answer, send, received } = await openNode();
    const slow = send("/never", 50);
    const other = send("/later");
    expect((await slow).kind).toBe("lost");
    expect(await send("/next")).toEqual(OK);
    answer();
    expect(await other).toEqual(OK);
    expect(received).toEqual(["/never", "/later", "/next"]);
  });

  it("a link that closes does not wait for what it has left", async () => {
    const { own, send } = await openNode();
    const slow = send("/never", 50);
    const other = send("/later");
    expect((await slow).kind).toBe("lost");
    expect(await send("/next")).toEqual(OK);
    await own.close({ graceMs: 0 });
    expect(await other).toEqual({ kind: "lost", reason: "the connection ended before the answer" });
  });
});
