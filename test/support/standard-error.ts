import { afterEach, beforeEach, vi } from "vitest";

/** Lines that a test has written to standard error. */
export interface StandardError {
  readonly lines: string[];
  /** Returns the lines without their time, as read from JSON, and removes them. */
  take(): readonly Readonly<Record<string, unknown>>[];
}

/** Keeps what each test of this file writes to standard error, instead of showing it. */
export function standardError(): StandardError {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => void vi.restoreAllMocks());
  return {
    lines,
    take: () =>
      lines.splice(0).map((line) => {
        const { time: _time, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
        return rest;
      }),
  };
}
