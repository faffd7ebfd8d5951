import { type ClientRequest, type IncomingMessage, request as open } from "node:http";
import { type OptionCheck, optionalOption, optionsOf, textOption, wholeOption } from "../../common/index.ts";
import type { MountFinding, MountProbe, ProbeAnswer, ProbeRequest } from "../../service/index.ts";

/** Target and time limit of a probe. */
export interface ProbeMountOptions {
  /** HTTP address on which the host listens, with the prefix of the service's paths if there is one. */
  readonly url: string;
  /** Time limit for one answer in milliseconds; default 5000. */
  readonly timeoutMs?: number;
}

const probeOption: OptionCheck = optionsOf<ProbeMountOptions>({
  url: textOption("an http URL, such as http://127.0.0.1:8080/trading", isHttpUrl),
  timeoutMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
});

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "http:";
}

const DEFAULT_TIMEOUT_MS = 5_000;
/** Errors of an unreachable host. They end the probe. */
const UNREACHABLE: readonly unknown[] = ["ECONNREFUSED", "EHOSTUNREACH", "ENOTFOUND", "EADDRNOTAVAIL"];
/** Size of a chunk. It splits a large body into several chunks. */
const CHUNK_BYTES = 10_000;

/**
 * Sends the requests of a probe to a mount, byte for byte and each on its own connection. Resolves to the faults of the
 * mount, by name; the list is empty if the mount may be used.
 * Throws a TypeError or RangeError that names an option that is missing, unknown or wrong. Rejects if
 * nothing listens there.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import type { AddressInfo } from "node:net";
 * import { createNodeMount, probeMount } from "managed-orders/node";
 * import { createMountProbe } from "managed-orders/service";
 * const probe = createMountProbe();
 * const mount = createNodeMount({ service: probe.service });
 * const server = createServer(mount.answer);
 * await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
 * const { port } = server.address() as AddressInfo;
 * console.log(await probeMount(probe, { url: `http://127.0.0.1:${port}` })); // []
 * server.close();
 * ```
 */
export function probeMount(probe: MountProbe, options: ProbeMountOptions): Promise<readonly MountFinding[]> {
  probeOption(options, "probeMount");
  const { hostname, port, pathname } = new URL(options.url);
  const to = { hostname, port, prefix: pathname.replace(/\/$/, "") };
  return probe.run((request) => send(request, { ...to, timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS }));
}

type Destination = Readonly<{ hostname: string; port: string; prefix: string; timeoutMs: number }>;

/** Sends one request. Resolves to undefined if no complete answer came in time. */
async function send(
  request: ProbeRequest,
  { hostname, port, prefix, timeoutMs }: Destination,
): Promise<ProbeAnswer | undefined> {
  const { method, target, body, chunked, rawHeaders } = request;
  const length = chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)];
  const sent = open({
    ...{ hostname: hostname.replace(/^\[|\]$/g, ""), port, method, path: prefix + target },
    // Each request has its own connection, so that a connection that is cut off affects no other request.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    headers: ["Host", `${hostname}:${port}`, ...(body.length > 0 ? length : []), ...rawHeaders],
  });
  try {
    return await answerOf(sent, body);
  } catch (error) {
    if (error instanceof Error && "code" in error && UNREACHABLE.includes(error.code)) throw error;
    return undefined;
  } finally {
    sent.destroy();
  }
}

async function answerOf(sent: ClientRequest, body: Uint8Array): Promise<ProbeAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
    for (let at = 0; at < body.length; at += CHUNK_BYTES) sent.write(body.subarray(at, at + CHUNK_BYTES));
    sent.end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}
