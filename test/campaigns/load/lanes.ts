import { connect, type Socket } from "node:net";
import { HANDSHAKE, readFrame } from "./frame-wire.ts";
import { readHttpAnswer } from "./http-wire.ts";

/** The transport of requests: HTTP on persistent connections, or WebSocket messages. */
export type Protocol = "http" | "socket";

/** The answers to a load. */
export type LoadResult = Readonly<{
  seconds: number;
  /** From sending a request to its complete answer, in microseconds, in the order of the answers. */
  latenciesUs: Float64Array;
  /** Answers to the first request of each connection, which are not measured. */
  unmeasured: number;
  /** Answers other than successes, at most ten of them. */
  failures: readonly string[];
}>;

/** The requests of a load: prepared, or made on demand; undefined ends it. */
export type Source = () => Buffer | undefined;

type Answer = Readonly<{ ok: boolean; text: string; end: number }>;

const MOST_FAILURES = 10;

const READERS: Readonly<Record<Protocol, (bytes: Buffer) => Answer | undefined>> = {
  http: (bytes) => {
    const answer = readHttpAnswer(bytes);
    return answer && { ok: answer.status === 200, text: answer.body, end: answer.end };
  },
  socket: (bytes) => {
    const frame = readFrame(bytes);
    return frame && { ok: frame.text.includes('"status":200'), text: frame.text, end: frame.end };
  },
};

/** Opens a connection; for WebSocket, including its handshake. */
function open(port: number, protocol: Protocol): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    socket.on("error", reject);
    socket.once("connect", () => {
      if (protocol === "http") return resolve(socket);
      socket.once("data", (head) => {
        if (head.includes(" 101 ")) resolve(socket);
        else reject(new Error(`no WebSocket: ${head.toString("latin1")}`));
      });
      socket.write(HANDSHAKE);
    });
  });
}

/** The target of a load, and the number of its connections, each with one request in flight. */
export type Lanes = Readonly<{ port: number; protocol: Protocol; connections: number; source: Source }>;

/**
 * Sends requests until the source has no more; rejects if a connection breaks. The first request of each connection is
 * not measured: Node accepts one connection per turn, so that under load the last of many connections wait.
 */
export async function runLoad({ port, protocol, connections, source }: Lanes): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port, protocol)));
  const failures: string[] = [];
  const latencies: number[] = [];
  const reported = ({ ok, text }: Answer): void => {
    if (!ok && failures.length < MOST_FAILURES) failures.push(text);
  };
  const lanes = sockets.map((socket) => new Lane(socket, READERS[protocol]));
  const first = await Promise.all(lanes.map((lane) => lane.run(once(source), reported)));
  const start = process.hrtime.bigint();
  await Promise.all(
    lanes.map((lane) =>
      lane.run(source, (answer, us) => {
        latencies.push(us);
        reported(answer);
      }),
    ),
  );
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  for (const socket of sockets) socket.destroy();
  const unmeasured = first.reduce((sum, count) => sum + count, 0);
  return { seconds, latenciesUs: Float64Array.from(latencies), unmeasured, failures };
}

const once = (source: Source): Source => {
  let requested = false;
  return () => {
    if (requested) return undefined;
    requested = true;
    return source();
  };
};

/** One connection with one request in flight at a time. */
class Lane {
  readonly #socket: Socket;
  readonly #read: (bytes: Buffer) => Answer | undefined;
  #pending: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, read: (bytes: Buffer) => Answer | undefined) {
    this.#socket = socket;
    this.#read = read;
  }

  /** Sends the requests of the source; resolves to the number of answers. */
  run(source: Source, reported: (answer: Answer, latencyUs: number) => void): Promise<number> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let startedAt = 0n;
      let answers = 0;
      const broken = (): void => reject(new Error("a connection ended"));
      const next = (): void => {
        const request = source();
        if (request !== undefined) {
          startedAt = process.hrtime.bigint();
          socket.write(request);
          return;
        }
        socket.off("data", onData);
        socket.off("close", broken);
        resolve(answers);
      };
      const onData = (chunk: Buffer): void => {
        const answer = this.#take(chunk);
        if (answer === undefined) return;
        answers++;
        reported(answer, Number(process.hrtime.bigint() - startedAt) / 1_000);
        next();
      };
      socket.on("data", onData);
      socket.on("close", broken);
      next();
    });
  }

  #take(chunk: Buffer): Answer | undefined {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const answer = this.#read(this.#pending);
    if (answer !== undefined) this.#pending = this.#pending.subarray(answer.end);
    return answer;
  }
}
