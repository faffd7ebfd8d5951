/** The program of a front thread: a transport whose service, gate and WebSocket interface are on the main thread. */
import { parentPort, workerData } from "node:worker_threads";
import { errorCode, errorMessage } from "../../../common/index.ts";
import type { Telemetry } from "../../../ports/index.ts";
import { descriptorOf, listeningCopy } from "../listen.ts";
import { createTransport } from "../transport.ts";
import { Batch, type FrontData, type ToFront, type ToMain } from "./messages.ts";
import { RemoteGate } from "./remote-gate.ts";
import { RemoteRequests, RemoteSockets, Secrets } from "./remote-service.ts";

/**
 * Maximum number of messages in transit to the main thread. If the main thread falls behind further, the thread stops
 * reading all connections: data from clients must not pile up between the threads, where no turns are kept.
 */
const MOST_UNHEARD = 256;

/** Creates the parts that handle the main thread's messages. */
function partsOf(post: (messages: readonly ToMain[]) => void, data: FrontData) {
  const before = (): void => {
    gate.report();
    sockets.report();
  };
  const batch = new Batch<ToMain>(post, { before, most: MOST_UNHEARD });
  const secrets = new Secrets();
  const gate = new RemoteGate({ batch, ...data });
  const requests = new RemoteRequests(batch, secrets);
  const sockets = new RemoteSockets({ batch, requests, secrets, maxFrames: data.maxFrames });
  const telemetry: Telemetry = {
    event: (level, name, fields) => batch.add(["event", level, name, fields]),
  };
  const transport = createTransport({
    ...{ service: requests, gate, limits: data.limits, telemetry },
    ...(data.hasSockets && { sockets }),
    soon: (run) => batch.soon(run),
  });
  return { batch, secrets, gate, requests, sockets, transport };
}

type Parts = Readonly<ReturnType<typeof partsOf>>;

function take(message: ToFront, parts: Parts): void {
  const { batch, gate, requests, sockets } = parts;
  switch (message[0]) {
    case "reply":
      return requests.replied(message[1], message[2], message[3], message[4]);
    case "threw":
      return requests.threw(message[1], message[2]);
    case "cut":
      return requests.cut(message[1]);
    case "admitted":
      return requests.admitted(message[1]);
    case "verdict":
      return gate.verdict(message[1], message[2]);
    case "put out":
      return gate.evict(message[1], message[2]);
    case "send":
      return sockets.send(message[1], message[2]);
    case "ping":
      return sockets.ping(message[1]);
    case "drop":
      return sockets.drop(message[1]);
    case "close":
      return sockets.close(message[1], message[2], message[3]);
    case "secret":
      return parts.secrets.store(message[1], message[2], message[3]);
    case "heard":
      return batch.acknowledged(message[1]);
    case "end":
      return void end(parts, message[1]);
  }
}

/** Sends the remaining replies, then reports that the thread is done. */
async function end({ transport, batch }: Parts, graceMs: number): Promise<void> {
  await transport.close(graceMs);
  batch.add(["closed"]);
}

async function run(data: FrontData): Promise<void> {
  const post = (messages: readonly ToMain[]): void => parentPort?.postMessage(messages);
  const parts = partsOf(post, data);
  parentPort?.on("message", (messages: readonly ToFront[]) => {
    for (const message of messages) take(message, parts);
  });
  const { server } = parts.transport;
  try {
    const copy = await listeningCopy(data.descriptor, data.limits.backlog);
    await new Promise<void>((resolve) => server.listen(copy, data.limits.backlog, resolve));
    parts.batch.add(["listens", descriptorOf(server)]);
  } catch (error) {
    parts.batch.add(["cannot", errorMessage(error), errorCode(error)]);
  }
}

void run(workerData as FrontData);
