import { expect, it, onTestFinished, vi } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { isForOperator, processTelemetry } from "../../src/sandbox/plain-words.ts";

it("decision ZF: a lost venue is one sentence, and one when it is back, for all streams together", () => {
  const said: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const { event } = processTelemetry("error");
  for (const stream of ["market", "events", "native"])
    event("warn", "venue-http.down", { stream, problem: "the connection broke" });
  for (const stream of ["market", "events", "native"]) event("info", "venue-http.up", { stream });
  expect(said).toEqual([
    "managed-orders: the connection to the venue is broken (the connection broke): children wait until it answers again\n",
    "managed-orders: the venue answers again\n",
  ]);
});

it.each(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND"])(
  "an address on which it cannot listen is a bad setting: %s",
  (code) => {
    expect(isForOperator(Object.assign(new Error("the host is unknown"), { code }))).toBe(true);
  },
);

it("a missing driver of the store is for the operator", () => {
  const load = (): never => {
    throw new Error("Cannot find module");
  };
  let refusal: unknown;
  try {
    loadDriver("better-sqlite3", load);
  } catch (error) {
    refusal = error;
  }
  expect(isForOperator(refusal)).toBe(true);
});
