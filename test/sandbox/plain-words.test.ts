import { expect, it, onTestFinished, vi } from "vitest";
import { UnknownOutcome } from "../../src/adapters/postgres/postgres-error.ts";
import { loadDriver } from "../../src/adapters/sqlite/database.ts";
import { openSqliteStore, verifySqliteStore } from "../../src/adapters/sqlite/index.ts";
import { isForOperator, processTelemetry, startProblem } from "../../src/sandbox/plain-words.ts";
import { temporaryPlace } from "../adapters/sqlite/temporary-place.ts";

it("a lost venue is one sentence, and one when it is back, for all streams together", () => {
  const answer: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    answer.push(String(text));
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const { event } = processTelemetry();
  for (const stream of ["market", "events", "native"])
    event("warn", "venue-http.down", { stream, problem: "the connection broke" });
  for (const stream of ["market", "events", "native"]) event("info", "venue-http.up", { stream });
  expect(answer).toEqual([
    "managed-orders: the connection to the venue is broken (the connection broke): children wait until it answers again\n",
    "managed-orders: the venue answers again\n",
  ]);
});

it("what strangers and nodes are refused is a line, and what is only information is none", () => {
  const answer: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((text) => void answer.push(String(text)));
  onTestFinished(() => spy.mockRestore());
  const { event } = processTelemetry();
  event("warn", "peer.refused", { reason: "SEAL" });
  event("info", "peer.refused", { reason: "BUSY" });
  expect(answer.map((line) => /peer\.refused.*SEAL/.test(line))).toEqual([true]);
});

it("a sentence is one line without anything that a terminal obeys, whatever a store or venue has said", () => {
  const answer: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    answer.push(String(text));
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const hostile = "no\nmanaged-orders: the store can be written again\u001b[1A\u009b2K";
  const { event } = processTelemetry();
  event("error", "engine.status", { change: "STORE_FAILING", detail: hostile });
  event("warn", "venue-http.down", { stream: "events", problem: hostile });
  const shown = "no managed-orders: the store can be written again [1A 2K";
  expect(answer).toEqual([
    `managed-orders: the store cannot be written or read (${shown}): requests that cannot be stored are refused until it recovers\n`,
    `managed-orders: the connection to the venue is broken (${shown}): children wait until it answers again\n`,
  ]);
  expect(startProblem(new Error(hostile))).toBe(shown);
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

it("cluster.md: a connection to Postgres that is lost under a statement is for the operator", () => {
  expect(isForOperator(new UnknownOutcome("the connection was lost under a statement: cut"))).toBe(true);
});

it("a file that is only read is not said to be missing because it cannot be created", async () => {
  const place = temporaryPlace();
  onTestFinished(() => place.remove());
  await openSqliteStore({ path: place.path }).close();
  const archive = `${place.directory}/nothing`;
  const refusal: unknown = await verifySqliteStore({ path: place.path, archive }).catch(
    (error: unknown) => error,
  );
  expect(startProblem(refusal)).toMatch(/nothing cannot be read \(ENOENT\): it does not exist$/);
});
