import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient, createSocketClient, type SocketClass } from "../../src/client/index.ts";
import { openSocketWorld } from "./socket-wire.ts";

const MAY_LACK = "`allowedOrigins` of the service may lack http://page.test";
const KEY = { apiKey: "key", secret: "secret" };
const options = (baseUrl: string) => ({
  ...{ baseUrl, ...KEY, readAttempts: 1 },
  fetch: async () => {
    throw new TypeError("Failed to fetch");
  },
});

/** A connection that closes before it is open, without a reason, as in a browser. */
const Closing = class {
  addEventListener(type: string, listener: (event: object) => void): void {
    if (type === "close") queueMicrotask(() => listener({ type }));
  }
  send(): void {}
  close(): void {}
} as unknown as SocketClass;

const failed = (call: Promise<unknown>): Promise<string> =>
  call.then(String, (error: unknown) => (error as Error).message);

describe("a failure without a status in a page of another origin", () => {
  afterEach(() => vi.unstubAllGlobals());
  const inPage = (): unknown => vi.stubGlobal("location", { origin: "http://page.test" });

  it("names the origins that the service allows, over HTTP", async () => {
    inPage();
    const client = createClient(options("http://service.test"));
    expect(await failed(client.ping())).toBe(`The connection failed: Failed to fetch; ${MAY_LACK}`);
  });

  it("names them for a WebSocket that never opened", async () => {
    inPage();
    const socket = createSocketClient({ ...options("http://service.test"), WebSocket: Closing });
    const message = await failed(socket.subscriptions());
    expect(message).toContain("The connection failed: ");
    expect(message).toContain(MAY_LACK);
  });

  it("does not name them for a connection that was open", async () => {
    inPage();
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    await socket.subscriptions();
    world.sockets.deaf = true;
    const waiting = failed(socket.subscriptions());
    await world.engine.idle();
    world.sockets.lose();
    expect(await waiting).toBe("The connection failed.");
  });

  it("does not name them in a page of the service itself, or where there is no page", async () => {
    expect(await failed(createClient(options("http://page.test")).ping())).toBe(
      "The connection failed: Failed to fetch",
    );
    inPage();
    expect(await failed(createClient(options("http://page.test/base")).ping())).toBe(
      "The connection failed: Failed to fetch",
    );
  });
});
