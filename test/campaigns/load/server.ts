import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
} from "../../../src/adapters/memory/index.ts";
import { createEntropy, createNodeServer, createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { openEngine } from "../../../src/engine/index.ts";
import { createService } from "../../../src/service/index.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";
import { INSTRUMENTS } from "../../support/world.ts";
import { ACCOUNTS, keyOf } from "./orders.ts";
import { type ThreadCpu, threadCpuSince, threadsNow } from "./thread-cpu.ts";

/** A server under load. */
export type LoadServer = Readonly<{
  port: number;
  openParents: () => number;
  /** Processor time of its threads. */
  cpu: () => ThreadCpu;
  close: () => Promise<void>;
}>;

const LOOPBACK = { host: "127.0.0.1", port: 0 };

/** What a server on node:http alone does with a request that has arrived: `reply` sends the JSON of an answer. */
type Answer = (request: IncomingMessage, body: string, reply: (json: string) => void) => void;

/** Opens a server on node:http alone. */
export async function openPlainServer(
  answer: Answer,
  openParents: () => number = () => 0,
): Promise<LoadServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () =>
      answer(request, Buffer.concat(chunks).toString("utf8"), (json) => {
        response.writeHead(200, {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(json),
        });
        response.end(json);
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(LOOPBACK, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    openParents,
    cpu: threadCpuSince(threadsNow(), 0),
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** The peer for comparison that does nothing: it parses the JSON of a request and sends the same JSON back. */
export const openBareServer = (): Promise<LoadServer> =>
  openPlainServer((_, body, reply) => reply(JSON.stringify(JSON.parse(body))));

/** Options of the service under load. */
export type ServiceLoad = Readonly<{ path: string; guardedSignatures?: number; frontThreads?: number }>;

/** The whole service on SQLite, without rate limits, on a port: REST and WebSocket. */
export async function openServiceServer({
  path,
  guardedSignatures,
  frontThreads = 0,
}: ServiceLoad): Promise<LoadServer> {
  const clock = createSystemClock();
  const instruments = createMemoryInstruments(INSTRUMENTS);
  const accounts = createMemoryAccounts(
    Array.from({ length: ACCOUNTS }, (_, index) => {
      const accountId = index + 1;
      const account = {
        accountId,
        userId: accountId,
        enableDataSharing: true,
        delegates: [],
        restricted: false,
      };
      const key = { ...keyOf(accountId), userId: accountId, accountId, ipAllowlist: [] };
      return { account, keys: [{ ...key, permissions: ["READ", "TRADE"] as const }] };
    }),
  );
  const entropy = createEntropy();
  const engine = await openEngine({
    store: openSqliteStore({ path, ...STORE_THREAD }),
    exposure: createMemoryExposure(),
    venue: createScriptedVenue(),
    settings: { advancedOrders: true },
    ...{ instruments, accounts, clock, entropy },
  });
  const service = createService({
    ...{ engine, accounts, instruments, clock, entropy },
    rateLimiter: createMemoryRateLimiter({ clock, enforce: false }),
    replayGuard: guardedSignatures === undefined ? {} : { maxPerGeneration: guardedSignatures },
  });
  const server = createNodeServer({ service, sockets: service.sockets, frontThreads });
  const before = threadsNow();
  const { port } = await server.listen(LOOPBACK);
  return {
    port,
    cpu: threadCpuSince(before, frontThreads),
    openParents: () => engine.metrics().openParents,
    close: async () => {
      await server.close({ graceMs: 100 });
      await engine.close();
    },
  };
}
