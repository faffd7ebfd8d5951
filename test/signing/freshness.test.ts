import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFreshness, checkNonce } from "../../src/signing/internal.ts";
import type { Scalar } from "../../src/wire/index.ts";
import { refusal } from "../wire/refusal.ts";

const NOW_MS = 1_000_000_000_000;
const scalar = (text: string): Scalar => ({ text, kind: "text" });

type FreshnessCase = Readonly<{
  timestamp?: string;
  recvWindow?: string;
  nowMs?: number;
  required?: boolean;
}>;

const check = ({ timestamp, recvWindow, nowMs = NOW_MS, required = true }: FreshnessCase): string => {
  const run = (): void =>
    checkFreshness({
      timestamp: timestamp === undefined ? undefined : scalar(timestamp),
      recvWindow: recvWindow === undefined ? undefined : scalar(recvWindow),
      nowMs,
      required,
    });
  try {
    run();
    return "fresh";
  } catch {
    return refusal(run);
  }
};

describe("timestamp", () => {
  it("hostile 30, complaint 43: +999 ms is accepted, +1000 ms refused", () => {
    expect(check({ timestamp: String(NOW_MS) })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS + 999) })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS + 1000) })).toBe("TIMESTAMP_AHEAD");
    expect(check({ timestamp: String(NOW_MS + 1000), recvWindow: "60000" })).toBe("TIMESTAMP_AHEAD");
  });

  it("hostile 31, complaint 43: an age of recvWindow is accepted, 1 ms more is refused", () => {
    expect(check({ timestamp: String(NOW_MS - 5000) })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS - 5001) })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: String(NOW_MS - 60_000), recvWindow: "60000" })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS - 60_001), recvWindow: "60000" })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: String(NOW_MS - 1), recvWindow: "0.999" })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: String(NOW_MS - 1), recvWindow: "1" })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS), recvWindow: "0.001" })).toBe("fresh");
  });

  it("convention 6.6: a window with three decimals is compared exactly", () => {
    expect(check({ timestamp: String(NOW_MS - 6000), recvWindow: "6000.346" })).toBe("fresh");
    expect(check({ timestamp: String(NOW_MS - 6001), recvWindow: "6000.346" })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: String(NOW_MS - 6001), recvWindow: "6000.999" })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: String(NOW_MS - 6001), recvWindow: "6001.000" })).toBe("fresh");
  });

  it("hostile 29: a missing timestamp is refused if it is required", () => {
    expect(check({})).toBe("PARAMETER_MISSING timestamp");
    expect(check({ required: false })).toBe("fresh");
  });

  it("a given timestamp is checked even if it is not required", () => {
    expect(check({ timestamp: String(NOW_MS - 5001), required: false })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: "", required: false })).toBe("PARAMETER_EMPTY timestamp");
  });

  it.each([
    "-1",
    "1e12",
    `${NOW_MS}.0`,
    `${NOW_MS}.5`,
    "+1",
    " 1",
    "1 ",
    "0x10",
    "abc",
    "१२",
    "true",
    "1".repeat(21),
    "1_0",
    "NaN",
    "Infinity",
  ])("hostile 29: %j is not a whole number of milliseconds", (timestamp) =>
    expect(check({ timestamp })).toBe("ILLEGAL_CHARS timestamp"),
  );

  it("hostile 29: an empty timestamp is refused", () =>
    expect(check({ timestamp: "" })).toBe("PARAMETER_EMPTY timestamp"));

  it("hostile 29: seconds are too old, microseconds and 20 digits too far ahead", () => {
    expect(check({ timestamp: String(NOW_MS / 1000) })).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ timestamp: `${NOW_MS}000` })).toBe("TIMESTAMP_AHEAD");
    expect(check({ timestamp: "9".repeat(20), recvWindow: "60000" })).toBe("TIMESTAMP_AHEAD");
    expect(check({ timestamp: "0" })).toBe("TIMESTAMP_OUTSIDE");
  });

  it("hostile 33: a request held for 61 seconds is refused with a timestamp, and not without", () => {
    const sent = { timestamp: String(NOW_MS), recvWindow: "60000", nowMs: NOW_MS + 61_000 };
    expect(check(sent)).toBe("TIMESTAMP_OUTSIDE");
    expect(check({ nowMs: NOW_MS + 61_000, required: false })).toBe("fresh");
  });

  it("the rule holds for every time and window", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -70_000, max: 2000 }),
        fc.integer({ min: 1, max: 60_000_000 }),
        (offsetMs, windowMicros) => {
          const recvWindow = `${Math.floor(windowMicros / 1000)}.${String(windowMicros % 1000).padStart(3, "0")}`;
          const due = offsetMs < 1000 && BigInt(-offsetMs) * 1000n <= BigInt(windowMicros);
          expect(check({ timestamp: String(NOW_MS + offsetMs), recvWindow }) === "fresh").toBe(due);
        },
      ),
    );
  });
});

describe("recvWindow", () => {
  it("hostile 32, complaint 43: 60000 is accepted, more and zero are refused", () => {
    const timestamp = String(NOW_MS);
    expect(check({ timestamp, recvWindow: "60000" })).toBe("fresh");
    expect(check({ timestamp, recvWindow: "60000.000" })).toBe("fresh");
    for (const recvWindow of ["60000.001", "60001", "0", "0.000", "-1", "-0", "-5000.5", "9".repeat(20)]) {
      expect(check({ timestamp, recvWindow }), recvWindow).toBe("BAD_RECV_WINDOW");
    }
  });

  it("hostile 32: four decimals are too many, even zeros", () => {
    for (const recvWindow of ["5000.1234", "6000.3461", "5000.0000", "60000.0001"]) {
      expect(check({ timestamp: String(NOW_MS), recvWindow }), recvWindow).toBe("PRECISION recvWindow");
    }
  });

  it.each([
    "5e3",
    "0x1388",
    "5,000",
    "5000.",
    ".5",
    "+5000",
    " 5000",
    "--1",
    "1.2.3",
    "Infinity",
    "5".repeat(21),
  ])("hostile 32: %j is not a number of that form", (recvWindow) =>
    expect(check({ timestamp: String(NOW_MS), recvWindow })).toBe("ILLEGAL_CHARS recvWindow"),
  );

  it("hostile 32: an empty recvWindow is refused", () => {
    expect(check({ timestamp: String(NOW_MS), recvWindow: "" })).toBe("PARAMETER_EMPTY recvWindow");
  });

  it.each([
    ["1e3", "legal range is '0-9 and one point'"],
    ["-1", "'recvWindow' must be greater than 0."],
    ["0", "'recvWindow' must be greater than 0."],
    ["60001", "'recvWindow' must be less than 60000."],
  ])("hostile 32: the error for %s says: %s", (recvWindow, text) => {
    const given = { timestamp: scalar("1"), recvWindow: scalar(recvWindow), nowMs: 1, required: true };
    expect(() => checkFreshness(given)).toThrow(text);
  });

  it("is checked also without a timestamp", () => {
    expect(check({ recvWindow: "0", required: false })).toBe("BAD_RECV_WINDOW");
    expect(check({ recvWindow: "5000", required: false })).toBe("fresh");
  });
});

describe("checkNonce", () => {
  const nonce = (text: string | undefined, timestamp?: string): string => {
    const run = (): void =>
      checkNonce({
        nonce: text === undefined ? undefined : scalar(text),
        timestamp: timestamp === undefined ? undefined : scalar(timestamp),
      });
    try {
      run();
      return "passes";
    } catch {
      return refusal(run);
    }
  };

  it.each(["1", "1760000000001", "a.B_c-9", "x".repeat(64)])("any value passes: %s", (text) =>
    expect(nonce(text)).toBe("passes"),
  );

  it.each(["x".repeat(65), "a b", "a/b", "é", "a&b", "a%20", "\n"])("refuses %j", (text) =>
    expect(nonce(text)).toBe("ILLEGAL_CHARS nonce"),
  );

  it("requires a nonce or a timestamp", () => {
    expect(nonce(undefined)).toBe("PARAMETER_MISSING_BOTH nonce");
    expect(() => checkNonce({ nonce: undefined, timestamp: undefined })).toThrow(
      "Param 'nonce' or 'timestamp' must be sent",
    );
    expect(nonce(undefined, "1")).toBe("passes");
    expect(nonce("")).toBe("PARAMETER_EMPTY nonce");
    expect(nonce("a b", "1")).toBe("ILLEGAL_CHARS nonce");
  });
});
