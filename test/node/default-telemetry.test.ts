import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConsoleTelemetry, createNodeMount, createNodeServer } from "../../src/adapters/node/index.ts";
import type { Telemetry } from "../../src/ports/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { standardError } from "../support/standard-error.ts";

type Fields = Readonly<Record<string, unknown>>;

const SECRET = "secret-5c1e";

/** A service that breaks its contract: it throws, with a secret in the message. */
const service = { handle: () => Promise.reject(new RangeError(SECRET)) };

const { lines } = standardError();

afterEach(() => void vi.useRealTimers());

async function ask(port: number): Promise<void> {
  const headers = { "X-MBX-APIKEY": SECRET, signature: SECRET };
  const { status } = await fetch(`http://127.0.0.1:${port}/api/order?signature=${SECRET}`, { headers });
  expect(status).toBe(500);
}

async function askServer(telemetry: Partial<Readonly<{ telemetry: Telemetry }>>): Promise<void> {
  await using server = createNodeServer({ service, ...telemetry, ...withFronts() });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  await ask(port);
}

async function askMount(telemetry: Partial<Readonly<{ telemetry: Telemetry }>>): Promise<void> {
  const mount = createNodeMount({ service, ...telemetry });
  const server = createServer((request, response) => void mount.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await ask(typeof address === "object" && address !== null ? address.port : 0);
  await mount.drain();
  server.close();
}

describe.each([
  ["createNodeServer", askServer],
  ["createNodeMount", askMount],
])("%s", (_, requested) => {
  it("writes a problem to standard error, as one line without a secret", async () => {
    await requested({});
    const written = { time: expect.any(String), level: "error", event: "service.threw", error: "RangeError" };
    expect(lines.map((line) => JSON.parse(line))).toEqual([written]);
    expect(lines.join()).not.toContain(SECRET);
  });

  it("reports to the telemetry of its host instead, if there is one", async () => {
    const reported: string[] = [];
    await requested({ telemetry: { event: (level, event) => void reported.push(`${level} ${event}`) } });
    expect([reported, lines]).toEqual([["error service.threw"], []]);
  });

  it("answers as ever if the telemetry of its host throws", async () => {
    const reported: string[] = [];
    const event = (_level: string, name: string): void => {
      reported.push(name);
      throw new Error(SECRET);
    };
    await requested({ telemetry: { event } });
    expect([reported, lines]).toEqual([["service.threw"], []]);
  });
});

describe("a flood on the console", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));

  /** The lines so far without their time, after `minutes`. */
  function written(minutes: number): readonly Fields[] {
    vi.advanceTimersByTime(minutes * 60_000);
    return lines.splice(0).map((line) => {
      const { time, ...rest } = JSON.parse(line) as Fields;
      expect(time).toMatch(/^1970-01-01T00:0\d:00.000Z$/);
      return rest;
    });
  }

  it("of equal problems is one line, and one line with their number a minute later", () => {
    const telemetry = createConsoleTelemetry();
    const lookup = { level: "warn", event: "lookup.failed", childId: "c-1" };
    for (let n = 0; n < 1_000; n++) telemetry.event("warn", "lookup.failed", { childId: "c-1" });
    expect(written(0)).toEqual([lookup]);
    expect(written(1)).toEqual([{ ...lookup, repeated: 999 }]);
    expect(written(5)).toEqual([]);
    telemetry.event("warn", "lookup.failed", { childId: "c-1" });
    expect(written(1)).toEqual([lookup]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of different problems of one name is ten lines and a number, and hides no other name and level", () => {
    const telemetry = createConsoleTelemetry();
    for (let n = 0; n < 1_000; n++) telemetry.event("warn", "lookup.failed", { childId: `c-${n}` });
    telemetry.event("error", "lookup.failed", {});
    telemetry.event("warn", "order.alert", { orderId: -256 });
    const now = written(0);
    expect(now.slice(0, 10).map(({ childId }) => childId)).toEqual(
      [...Array(10).keys()].map((n) => `c-${n}`),
    );
    expect(now.slice(10).map(({ level, event }) => `${level} ${event}`)).toEqual([
      "error lookup.failed",
      "warn order.alert",
    ]);
    expect(written(1)).toEqual([{ level: "warn", event: "lookup.failed", omitted: 990 }]);
  });

  it("of names takes bounded memory: a hundred names and the number of the other events", () => {
    const telemetry = createConsoleTelemetry();
    for (let n = 0; n < 1_000; n++) telemetry.event("error", `name-${n}`, {});
    expect(written(0)).toHaveLength(100);
    expect(written(1)).toEqual([{ level: "warn", event: "telemetry.full", omitted: 900 }]);
  });

  it("of ordinary events is written in full", () => {
    const telemetry = createConsoleTelemetry();
    for (let n = 0; n < 20; n++) telemetry.event("info", "engine.status", {});
    expect(written(1)).toHaveLength(20);
  });
});
