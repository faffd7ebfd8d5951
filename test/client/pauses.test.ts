import { afterEach, describe, expect, it, vi } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { again } from "../../src/client/again.ts";
import { RequestGate } from "../../src/client/caller.ts";
import { RefusedError } from "../../src/client/errors.ts";
import { pause } from "../../src/client/http.ts";
import { createClient } from "../../src/client/index.ts";
import { CLIENT_ROUTES } from "../../src/client/routes.ts";
import { PLATFORM } from "../../src/client/settings.ts";
import { control, type SocketLink } from "../../src/client/socket.ts";

describe("pauses of the client", () => {
  it("end by their own time on a clock that moves between two readings of it", async () => {
    const clock = createManualClock({ startMs: 0 });
    const { monotonicMs } = clock;
    let readings = 0;
    const slow = { ...clock, monotonicMs: () => monotonicMs() + 2 * readings++ };
    const paused = pause(slow, 250, undefined);
    await clock.advanceBy(1_000);
    await expect(paused).resolves.toBeUndefined();
  });

  it.each([
    [-1003, "passes"],
    [-1001, "passes"],
    [-2035, "passes"],
    [-2036, "passes"],
    [-2042, "passes"],
    [2, "ends"],
    [-1121, "ends"],
  ])("a control frame that is refused with %d %s", async (code, outcome) => {
    const clock = createManualClock({ startMs: 0 });
    const platform = { clock, random: () => 0.5 } as never;
    const replies = [{ code, msg: "refused" }];
    const link = { request: async () => replies.shift() ?? {} } as unknown as SocketLink;
    const controller = new AbortController();
    const session = async (): Promise<never> => {
      await control(link, { method: "SUBSCRIBE", streams: ["btcusd@trade"] }, { timeoutMs: 1 });
      controller.abort();
      throw new Error("subscribed");
    };
    const ended = again(platform, session, controller.signal).catch((error: unknown) => error);
    await clock.advanceBy(60_000);
    const why = await ended;
    if (outcome === "ends") expect(why).toBeInstanceOf(RefusedError);
    else expect(why).toMatchObject({ message: "subscribed" });
  });
});

describe("a wait that a server asks for is at most three days, the longest ban", () => {
  const DAYS_MS = 3 * 86_400_000;
  const refusalOf = (retryAfterMs: number): RefusedError =>
    new RefusedError({ code: -1003, msg: "Later.", status: 429, retryAfterMs }, { sent: true });

  it.each([1e15, Number.POSITIVE_INFINITY])("requests are sent again after %d ms", async (retryAfterMs) => {
    const clock = createManualClock({ startMs: 0 });
    const gate = new RequestGate(clock);
    gate.observe(refusalOf(retryAfterMs));
    await clock.advanceBy(DAYS_MS - 1);
    expect(() => gate.requireOpen(CLIENT_ROUTES.ping)).toThrow(expect.objectContaining({ retryAfterMs: 1 }));
    await clock.advanceBy(1);
    expect(() => gate.requireOpen(CLIENT_ROUTES.ping)).not.toThrow();
  });

  it("a stream connects again", async () => {
    const clock = createManualClock({ startMs: 0 });
    const controller = new AbortController();
    let sessions = 0;
    const session = async (): Promise<never> => {
      if (++sessions === 2) controller.abort();
      throw refusalOf(1e15);
    };
    const ended = again({ clock, random: () => 0.5 }, session, controller.signal).catch(() => "ended");
    await clock.advanceBy(DAYS_MS - 1);
    expect(sessions).toBe(1);
    await clock.advanceBy(1);
    expect(sessions).toBe(2);
    expect(await ended).toBe("ended");
  });
});

describe("the clock of the platform", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("runs nothing early: what is to be sent after a pause is not refused as too early", async () => {
    const { clock } = PLATFORM;
    for (const waitMs of [0.2, 0.9, 1.1, 1.5, 1.9, 2.3, 2.7]) {
      const atMs = clock.monotonicMs() + waitMs;
      await new Promise<void>((resolve) => clock.schedule(atMs, resolve));
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(atMs);
    }
  });

  it("needs no timeOrigin, which React Native may lack", async () => {
    const { performance: own } = globalThis;
    vi.stubGlobal("performance", { now: () => own.now() });
    const ping = async () => {
      // Longer than the shortest timer, which a time that is no number would set.
      await new Promise<void>((resolve) => setTimeout(resolve, 4));
      return new Response("{}");
    };
    const client = createClient({ baseUrl: "http://service.test", fetch: ping, readAttempts: 1 });
    expect(await client.ping()).toEqual({});
  });
});
