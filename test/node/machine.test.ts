import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createConsoleTelemetry, createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";

describe("the clock of the machine", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("shows the machine's time; its monotonic time continues whatever that is set to", () => {
    vi.useFakeTimers({ now: 10_000 });
    const clock = createSystemClock();
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([10_000, 10_000]);
    vi.setSystemTime(9_000);
    vi.advanceTimersByTime(5);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([9_005, 10_005]);
    vi.setSystemTime(3_600_000);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([3_600_000, 10_005]);
  });

  it("reports within a second that it was set, each time once, and checks only while there is a listener", () => {
    vi.useFakeTimers({ now: 10_000 });
    const clock = createSystemClock();
    expect(vi.getTimerCount()).toBe(0);
    const reported: number[] = [];
    const cancel = clock.onStep?.((stepMs) => reported.push(stepMs));
    vi.advanceTimersByTime(5_000);
    vi.setSystemTime(15_000 - 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(reported).toEqual([-3_600_000]);
    vi.setSystemTime(16_000);
    vi.advanceTimersByTime(10_000);
    expect(reported).toEqual([-3_600_000, 3_600_000]);
    cancel?.();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs a timer once at its time, also beyond the longest native timer", () => {
    vi.useFakeTimers({ now: 0 });
    const clock = createSystemClock();
    const far = 2 ** 31 + 5_000;
    const run = vi.fn();
    clock.schedule(far, run);
    vi.advanceTimersByTime(far - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(far);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("a time that has passed runs next; a canceled timer never runs", () => {
    vi.useFakeTimers({ now: 1_000 });
    const clock = createSystemClock();
    const [past, canceled] = [vi.fn(), vi.fn()];
    clock.schedule(0, past);
    clock.schedule(2_000, canceled)();
    expect(past).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_000);
    expect([past.mock.calls.length, canceled.mock.calls.length]).toEqual([1, 0]);
  });

  it("soon comes after the input that is already waiting", async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      createSystemClock().soon(() => {
        order.push("soon");
        resolve();
      });
      void Promise.resolve().then(() => order.push("waiting"));
    });
    expect(order).toEqual(["waiting", "soon"]);
  });
});

describe("the machine's randomness", () => {
  const { token } = createEntropy();

  it("tokens have the requested length and letters and digits only", () => {
    fc.assert(
      fc.property(fc.nat(200), (length) => {
        expect(token(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
      }),
    );
  });

  it("every letter is equally likely and no token repeats", () => {
    const counts = new Map<string, number>();
    for (const letter of token(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // Six standard deviations (190) around 1000: a bias of one part in eight would show.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(190);
    expect(new Set(Array.from({ length: 1_000 }, () => token(22))).size).toBe(1_000);
  });
});

describe("console telemetry", () => {
  it("prints one line of JSON per event, from the level on", () => {
    const lines: string[] = [];
    const telemetry = createConsoleTelemetry({ level: "warn", write: (line) => lines.push(line) });
    telemetry.event("info", "quote.counted", {});
    telemetry.event("warn", "order.alert", { orderId: -256, detail: "two\nlines" });
    telemetry.event("error", "append.failed", {});
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: expect.any(String), level: "warn", event: "order.alert", orderId: -256, detail: "two\nlines" },
      { time: expect.any(String), level: "error", event: "append.failed" },
    ]);
    expect(lines[0]).not.toContain("\n");
  });

  it("escapes what a terminal obeys, also beyond ASCII: the text may be that of a venue or a store", () => {
    const lines: string[] = [];
    const telemetry = createConsoleTelemetry({ write: (line) => lines.push(line) });
    const detail = "\u001b[2J \u009b2J \u007f \u0085 \u2028 \u202e caf\u00e9 \u{1f600}";
    telemetry.event("warn", "child.unknown", { detail });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ detail });
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(lines[0]).toContain("caf\u00e9 \u{1f600}");
  });
});
