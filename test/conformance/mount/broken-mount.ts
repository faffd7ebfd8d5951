import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createNodeMount } from "../../../src/adapters/node/index.ts";
import type { MountSubject, MountSupport } from "../../../src/conformance/index.ts";
import type { Service, SocketPeer, SocketSession } from "../../../src/service/index.ts";
import type { WireRequest, WireResponse } from "../../../src/wire/index.ts";
import { listening } from "../../support/listening.ts";

/** A server with a mount, to which a fault adds itself. */
export type Host = Readonly<{ service: Service; listener: RequestListener; server: () => Server }>;

/** The places at which a mount can be broken. What is left out is sound. */
export type Plant = Readonly<{
  /** Stands between the mount and the service. */
  between?: (service: Service) => Partial<Service>;
  /** Takes the requests in place of the sound listener. */
  listener?: (host: Host) => RequestListener;
  /** Changes the server before it listens. */
  server?: (server: Server, host: Host) => void;
  /** Closes in place of the sound function. */
  close?: (server: Server, sound: () => Promise<void>) => Promise<void>;
}>;

const SUPPORTS: MountSupport = { sockets: true, ownRoutes: true, drains: true };

/** Describes a node:http server with a mount and one fault; it is sound without a fault. */
export function mountOf(
  name: string,
  { between, listener, server: change, close }: Plant = {},
  supports: Partial<MountSupport> = {},
  has: MountSupport = { ...SUPPORTS, ...supports },
): MountSubject {
  return {
    name,
    supports: { ...SUPPORTS, ...supports },
    async open(stand) {
      const service = { ...stand, ...between?.(stand) };
      const mount = createNodeMount({ service });
      const isItsPath = (url = ""): boolean => !has.ownRoutes || /^\/(compat\/)?api\//.test(url);
      const sound: RequestListener = (request, response) => {
        if (isItsPath(request.url)) void mount.answer(request, response);
        else response.writeHead(404).end();
      };
      const host: Host = { service, listener: sound, server: () => server };
      const server = createServer(listener?.(host) ?? sound);
      change?.(server, host);
      if (has.sockets) mount.attach(server, service.sockets);
      const port = await listening(server);
      server.unref();
      const ended = async (options: Readonly<{ graceMs?: number }> = {}): Promise<void> => {
        const drained = mount.drain(has.drains ? options : { graceMs: 0 });
        const closed = new Promise((resolve) => server.close(resolve));
        await drained;
        server.closeAllConnections();
        await closed;
      };
      return {
        port,
        // A rule passes no `graceMs` where it waits for answers; the end of a rule does, and must always succeed.
        close: (options) =>
          close === undefined || options?.graceMs === 0
            ? ended(options)
            : close(server, () => ended(options)),
      };
    },
  };
}

/** A fault of the requests that the service receives. */
export const ofRequests = (change: (request: WireRequest) => WireRequest): Plant => ({
  between: ({ handle }) => ({ handle: (request) => handle(change(request)) }),
});

/** A fault of the answers that the client receives. */
export const ofAnswers = (change: (answer: WireResponse, request: WireRequest) => WireResponse): Plant => ({
  between: ({ handle }) => ({ handle: async (request) => change(await handle(request), request) }),
});

/** A fault of the host, which answers some requests itself. */
export const answering = (isTaken: (request: WireRequest) => boolean): Plant => ({
  between: ({ handle }) => ({
    handle: async (request) =>
      isTaken(request) ? { status: 413, headers: {}, body: "too large" } : handle(request),
  }),
});

/** A fault of the WebSockets, between the peer of the mount and the session of the service. */
export const ofSockets = (
  peerOf: (peer: SocketPeer) => SocketPeer,
  sessionOf: (session: SocketSession, peer: SocketPeer) => SocketSession = (session) => session,
): Plant => ({
  between: ({ sockets }) => ({
    sockets: { ...sockets, connect: (peer) => sessionOf(sockets.connect(peerOf(peer)), peer) },
  }),
});

/** Returns a request of node:http as the service takes it. */
export const wireOf = (request: IncomingMessage, body: Uint8Array): WireRequest => ({
  ...{ method: request.method ?? "", target: request.url ?? "", rawHeaders: request.rawHeaders },
  ...{ remoteAddress: request.socket.remoteAddress ?? "", body },
});
