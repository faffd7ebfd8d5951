import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { connect, listening } from "./loopback.ts";

it("opening a client takes no longer than openWithinMs, also if the server hangs after an error", async () => {
  let requested = 0;
  const http = createServer((_, response) => {
    if (++requested === 1) response.writeHead(503).end();
  });
  await listening(http, 0);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const system = createSystemClock();
  const timersMs: number[] = [];
  const schedule: Clock["schedule"] = (atMs, run) => {
    timersMs.push(atMs);
    return system.schedule(atMs, run);
  };
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const fromMs = system.monotonicMs();
  const opening = connect(url, { clock: { ...system, schedule }, openWithinMs: 250 });
  const firstMs = system.monotonicMs() - fromMs;
  await expect(opening).rejects.toMatchObject({ problem: "unanswered" });
  expect(requested).toBe(2);
  expect(Math.max(...timersMs) - fromMs).toBeLessThanOrEqual(255 + firstMs);
});
