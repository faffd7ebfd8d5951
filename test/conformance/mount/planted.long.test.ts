import { gunzipSync } from "node:zlib";
import { type MountSubject, type MountSupport, testMount } from "../../../src/conformance/index.ts";
import { mountRules } from "../../../src/conformance/mount/mount.ts";
import { MAX_BODY_BYTES } from "../../../src/service/index.ts";
import { type PlantedFault, testPlantedFaults } from "../../support/planted-faults.ts";
import { answering, mountOf, ofAnswers, ofRequests, ofSockets, type Plant, wireOf } from "./broken-mount.ts";

const planted = (
  fault: string,
  breaks: readonly string[],
  plant: Plant,
  supports: Partial<MountSupport> = {},
  has?: MountSupport,
): PlantedFault<MountSubject> => ({
  fault,
  breaks,
  subject: { ...mountOf(fault, plant, supports, has), waitMs: 300 },
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

const withBody = (change: (body: Uint8Array, method: string) => Uint8Array): Plant =>
  ofRequests((request) => ({ ...request, body: change(request.body, request.method) }));

const reparsed = (body: Uint8Array): Uint8Array => {
  try {
    return bytes(JSON.stringify(JSON.parse(textOf(body))));
  } catch {
    return body;
  }
};

const requestFaults = [
  planted(
    "a method override",
    ["every method, unchanged"],
    ofRequests((request) => {
      const at = request.rawHeaders.indexOf("X-HTTP-Method-Override");
      return at < 0 ? request : { ...request, method: request.rawHeaders[at + 1] ?? "" };
    }),
  ),
  planted(
    "OPTIONS is answered by the host",
    ["every method, unchanged"],
    answering(({ method }) => method === "OPTIONS"),
  ),
  planted("each request is handed over twice", ["every method, unchanged"], {
    between: ({ handle }) => ({
      handle: async (request) => {
        await handle(request);
        return handle(request);
      },
    }),
  }),
  planted(
    "the path of a URL",
    ["the path is the one of the request line"],
    ofRequests((request) => {
      const { pathname, search } = new URL(request.target, "http://host");
      return { ...request, target: pathname + search };
    }),
  ),
  planted(
    "parameters that were parsed",
    ["the query arrives byte for byte"],
    ofRequests((request) => {
      const [path, query] = request.target.split("?");
      return query === undefined ? request : { ...request, target: `${path}?${new URLSearchParams(query)}` };
    }),
  ),
  planted(
    "headers of an object",
    ["headers arrive in their order"],
    ofRequests((request) => {
      const headers = new Map<string, string>();
      request.rawHeaders.forEach((name, at) => {
        if (at % 2 === 0) headers.set(name.toLowerCase(), request.rawHeaders[at + 1] ?? "");
      });
      return { ...request, rawHeaders: [...headers].flat() };
    }),
  ),
  planted(
    "the address of X-Forwarded-For",
    ["the address is that of the socket's peer"],
    ofRequests((request) => {
      const at = request.rawHeaders.indexOf("X-Forwarded-For");
      return at < 0 ? request : { ...request, remoteAddress: request.rawHeaders[at + 1] ?? "" };
    }),
  ),
  planted("a body that was parsed", ["the body arrives as the bytes"], withBody(reparsed)),
  planted(
    "a body that was decoded",
    ["the body arrives as the bytes"],
    withBody((body) => bytes(textOf(body))),
  ),
  planted(
    "a body as text",
    ["the body arrives as the bytes"],
    withBody((body) => textOf(body) as unknown as Uint8Array),
  ),
  planted(
    "a body that is decompressed",
    ["handed over compressed"],
    withBody((body) => (body[0] === 0x1f ? gunzipSync(body) : body)),
  ),
  planted(
    "no body with DELETE",
    ["with every method, also with GET and DELETE"],
    withBody((body, method) => (method === "DELETE" ? new Uint8Array() : body)),
  ),
  planted(
    "only bodies with a length",
    ["a body in chunks is handed over whole"],
    ofRequests((request) =>
      request.rawHeaders.includes("Transfer-Encoding") ? { ...request, body: new Uint8Array() } : request,
    ),
  ),
  planted(
    "a limit of the host below that of the service",
    ["a body of MAX_BODY_BYTES is"],
    answering(({ body }) => body.length > 16_384),
  ),
  planted(
    "a limit of the host",
    ["of a body that is too large"],
    answering(({ body }) => body.length > MAX_BODY_BYTES),
  ),
  planted("a body that is collected to its end", ["is not collected"], {
    listener:
      ({ service }) =>
      (request, response) => {
        const chunks: Uint8Array[] = [];
        request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        request.on("end", async () => {
          const { status, headers, body } = await service.handle(wireOf(request, Buffer.concat(chunks)));
          response.writeHead(status, headers).end(body);
        });
      },
  }),
  planted(
    "every path is handed over",
    ["requests of other paths stay"],
    {},
    {},
    { sockets: true, ownRoutes: false, drains: true },
  ),
  planted(
    "own routes that are not declared",
    ["without routes of its own"],
    {},
    { ownRoutes: false },
    { sockets: true, ownRoutes: true, drains: true },
  ),
];

const answerFaults = [
  planted(
    "refusals are error pages",
    ["the status is the one of the service"],
    ofAnswers((answer) => ({ ...answer, status: answer.status >= 500 ? 502 : answer.status })),
  ),
  planted(
    "only known headers",
    ["the headers of the service arrive"],
    ofAnswers(({ headers, ...answer }) => ({
      ...answer,
      headers: { "Content-Type": headers["Content-Type"] ?? "" },
    })),
  ),
  planted(
    "an answer that was parsed",
    ["the body of the service arrives"],
    ofAnswers((answer) => ({ ...answer, body: textOf(reparsed(bytes(answer.body))) })),
  ),
  planted("HEAD is answered by the host", ["a HEAD is answered"], {
    listener:
      ({ listener }) =>
      (request, response) =>
        request.method === "HEAD" ? void response.end() : listener(request, response),
  }),
  planted("Expect is refused", ["told to continue"], {
    server: (server) => server.on("checkContinue", (_, response) => response.writeHead(417).end()),
  }),
  planted("the first chunk is the body", ["arrives in pieces"], {
    listener:
      ({ service, listener }) =>
      (request, response) => {
        if (request.method !== "POST") return listener(request, response);
        request.once("data", async (chunk: Uint8Array) => {
          const { status, headers, body } = await service.handle(wireOf(request, chunk));
          response.writeHead(status, headers).end(body);
        });
      },
  }),
  planted(
    "each answer is the one before",
    ["answered in their order"],
    (() => {
      let last = "";
      return ofAnswers((answer) => {
        const body = last;
        last = answer.body;
        return { ...answer, body };
      });
    })(),
  ),
  planted("one request at a time", ["does not delay those of other connections"], {
    between: ({ handle }) => {
      let before: Promise<unknown> = Promise.resolve();
      return {
        handle: (request) => {
          const answer = before.then(() => handle(request));
          before = answer;
          return answer;
        },
      };
    },
  }),
  planted("half a body is handed over", ["leaves during its body"], {
    listener:
      ({ service, listener }) =>
      (request, response) => {
        request.on("close", () => {
          if (!request.complete) void service.handle(wireOf(request, new Uint8Array()));
        });
        listener(request, response);
      },
  }),
  planted("the server ends when a client leaves", ["leaves while it waits"], {
    listener:
      ({ listener, server }) =>
      (request, response) => {
        response.on("close", () => {
          if (!response.writableEnded) server().close();
        });
        listener(request, response);
      },
  }),
];

const socketFaults = [
  planted(
    "the path of an upgrade without its query",
    ["target, headers and address of an upgrade"],
    ofSockets((peer) => ({ ...peer, target: peer.target.split("?")[0] ?? "" })),
  ),
  planted("refused upgrades get a status of their own", ["an upgrade that the service refuses"], {
    between: ({ sockets }) => ({
      sockets: {
        ...sockets,
        admit: async (request) => {
          const refusal = await sockets.admit(request);
          return refusal && { ...refusal, status: 403 };
        },
      },
    }),
  }),
  planted(
    "binary messages are taken as texts",
    ["texts arrive whole"],
    ofSockets(
      (peer) => peer,
      (session) => ({
        ...session,
        receiveBinary: () => session.receive(""),
      }),
    ),
  ),
  planted(
    "texts are parsed",
    ["texts arrive whole"],
    ofSockets((peer) => ({ ...peer, send: (text) => peer.send(textOf(reparsed(bytes(text)))) })),
  ),
  planted(
    "pongs are not reported",
    ["pings are answered and reported"],
    ofSockets(
      (peer) => peer,
      (session) => ({ ...session, ponged: () => {} }),
    ),
  ),
  planted(
    "nothing ever waits",
    ["bytes that wait for the client"],
    ofSockets((peer) => ({ ...peer, bufferedBytes: () => 0 })),
  ),
  planted(
    "everything waits for ever",
    ["bytes that wait for the client"],
    ofSockets((peer) => {
      let sent = 0;
      return {
        ...peer,
        send(text) {
          sent += text.length;
          peer.send(text);
        },
        bufferedBytes: () => sent,
      };
    }),
  ),
  planted(
    "one close code for all reasons",
    ["a close of the service arrives"],
    ofSockets((peer) => ({ ...peer, close: () => peer.close(1000, "") })),
  ),
  planted(
    "the end is reported twice",
    ["the end of a connection is reported once"],
    ofSockets(
      (peer) => peer,
      (session) => ({
        ...session,
        closed() {
          session.closed();
          session.closed();
        },
      }),
    ),
  ),
  planted("closing does not tell the WebSockets", ["closing tells the WebSocket connections"], {
    between: ({ sockets }) => ({ sockets: { ...sockets, shutdown: () => {} } }),
  }),
  planted(
    "WebSockets that are not declared",
    ["declares no WebSockets"],
    {},
    { sockets: false },
    { sockets: true, ownRoutes: true, drains: true },
  ),
];

const closingFaults = [
  planted("closing leaves the server open", ["accepts no connection"], { close: async () => {} }),
  planted("closing ends every connection", ["closing answers the requests under way"], {
    close: async (server) => {
      server.close();
      server.closeAllConnections();
    },
  }),
  planted("no grace period", ["for at most `graceMs`"], {
    close: (server) => new Promise((resolve) => void server.close(() => resolve())),
  }),
  planted(
    "a drain that is not declared",
    ["closes at once"],
    {},
    { drains: false },
    { sockets: true, ownRoutes: true, drains: true },
  ),
];

testPlantedFaults("mount", {
  declare: testMount,
  groups: mountRules,
  sound: [
    mountOf("a server"),
    mountOf("a server of the service alone", {}, { sockets: false, ownRoutes: false, drains: false }),
  ],
  faults: [...requestFaults, ...answerFaults, ...socketFaults, ...closingFaults],
});
