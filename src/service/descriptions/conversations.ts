import { ERRORS } from "../../errors/index.ts";
import {
  CLIENT_STREAM_SUFFIXES,
  COMPAT_METHODS,
  METHODS,
  type MethodDescriptor,
  STREAM_KINDS,
  STREAM_METHODS,
} from "../../requests/index.ts";
import {
  AUTHENTICATION_SCHEMAS,
  type JsonSchema,
  requestSchema,
  routeSchema,
} from "../../requests/schemas/index.ts";
import { CLIENT_EVENTS } from "./compat-schemas.ts";
import { parametersSchema } from "./components.ts";
import { ERROR, errorsOfMethod, HALVES } from "./errors.ts";
import { CONTROL_ERROR, PRIVATE_EVENTS, PUBLIC_EVENTS } from "./event-schemas.ts";
import { ACT_NOTES, type ActNote, noteOf, type RouteNote } from "./route-notes.ts";
import { capital, integer, list, long, object, only, optional, ref, text, time } from "./schema.ts";

/** Messages by name. */
export type Messages = Readonly<Record<string, JsonSchema>>;

/** A request and its reply on the same channel. */
type Exchange = Readonly<{
  id: string;
  summary: string;
  about: string;
  request: JsonSchema;
  reply: JsonSchema;
}>;

/** Returns a message with a payload. */
const message = (title: string, payload: JsonSchema): JsonSchema => ({ name: title, title, payload });

/** Schema of a request id. A reply has the id in the same JSON type. */
const REQUEST_ID: JsonSchema = {
  oneOf: [
    text("1-36 printable ASCII characters.", { pattern: "^[ -~]{1,36}$" }),
    long("A 64-bit integer."),
    { type: "null", description: "No id." },
  ],
  description: "Request id. The reply carries the same id.",
};

const CORRELATION = { location: "$message.payload#/id", description: "Id of the request." };

/** Returns the operation id, such as orderPlace for order.place. The token subscription has an id of its own. */
const idOf = ({ name }: MethodDescriptor): string =>
  name === "SUBSCRIBE" ? "subscribeByToken" : name.split(".").reduce((id, word) => id + capital(word));

function exchangeOf(method: MethodDescriptor): Exchange {
  const note: ActNote & Pick<RouteNote, "weight"> =
    "act" in method ? ACT_NOTES[method.act] : noteOf(method.route);
  const weight = typeof method.weight === "number" ? method.weight : note.weight;
  const errors = errorsOfMethod(method).map((name) => `${ERRORS[name].code} ${name}`);
  const access = method.access === "PUBLIC" ? "Needs no signature." : `Needs ${method.access}.`;
  const names = [method.name, ...method.aliases];
  return {
    id: idOf(method),
    summary: note.summary,
    about: `${note.about}\n\nWeight ${weight}. ${access}\n\nErrors: ${errors.join(", ")}.`,
    request: object(`${note.summary}.`, {
      id: REQUEST_ID,
      method: text("Method name. An optional prefix v3/ has no effect.", { enum: names }),
      params: paramsOf(method),
    }),
    reply: object("The reply.", {
      id: REQUEST_ID,
      status: only(200, "Done."),
      result: note.reply,
      rateLimits: optional(
        list(ref("UsedRateLimit"), "Used part of each rate limit. Absent if returnRateLimits turned it off."),
      ),
    }),
  };
}

/** Schema of the switch for rate limits, of a connection and of a request. */
export const RETURN_LIMITS: JsonSchema = {
  type: "boolean",
  description: "Whether the reply includes the rate limits. Default: the setting of the connection.",
};

function paramsOf(method: MethodDescriptor): JsonSchema {
  const isSigned = method.access !== "PUBLIC";
  return parametersSchema(
    "act" in method ? requestSchema(method.act) : routeSchema(method.route),
    "Integers may also be sent as strings; booleans may not.",
    {
      properties: { returnRateLimits: RETURN_LIMITS, ...(isSigned && SIGNED_PARAMS) },
      required: isSigned ? ["apiKey", "timestamp", "signature"] : [],
    },
  );
}

const SIGNED_PARAMS: Readonly<Record<string, JsonSchema>> = {
  apiKey: text("Your API key."),
  ...AUTHENTICATION_SCHEMAS,
  recvWindow: {
    ...AUTHENTICATION_SCHEMAS.recvWindow,
    type: ["integer", "string"],
    description:
      "Maximum age of the timestamp in milliseconds. A value with decimals, at most three, must be a string.",
  },
};

const SOCKET_ERROR = object("A refusal or a failure.", {
  ...ERROR,
  field: optional(text("The parameter that the error is about.")),
  data: optional({
    anyOf: [
      object("Time to retry after a rate limit or a ban.", {
        serverTime: time("Current time."),
        retryAfter: time("Time at which to retry."),
      }),
      HALVES,
    ],
  }),
});

const REFUSAL = message(
  "Refusal",
  object(
    "The reply to a request that was refused or that failed. The id is null if the request had no readable id.",
    {
      id: REQUEST_ID,
      status: integer("HTTP status of the error."),
      error: SOCKET_ERROR,
      rateLimits: optional(list(ref("UsedRateLimit"), "Used part of each rate limit.")),
    },
  ),
);

/** Returns the messages of exchanges: each request and its reply. */
function messagesOf(exchanges: readonly Exchange[]): Messages {
  return Object.fromEntries(
    exchanges.flatMap(({ id, request, reply }) => {
      const name = capital(id);
      return [
        [`${name}Request`, { ...message(`${name}Request`, request), correlationId: CORRELATION }],
        [`${name}Reply`, { ...message(`${name}Reply`, reply), correlationId: CORRELATION }],
      ];
    }),
  );
}

/** Names of the events of a private stream in the convention's dialect, as far as they are events of a subscription. */
const CONVENTION_EVENTS = ["ExecutionReport", "ListStatus", "EventStreamTerminated"];

/**
 * Returns the private events. An event of a subscription is wrapped with the subscription's id; an event of the
 * connection is not.
 */
function privateEvents(names: readonly string[]): Messages {
  const wrapped = names.map((name) => {
    const event = object("An event of a subscription.", {
      subscriptionId: integer("Id of the subscription."),
      event: ref(name),
    });
    return [name, message(name, event)] as const;
  });
  const shutdown = object("An event of the connection.", { event: ref("ServerShutdown") });
  return { ...Object.fromEntries(wrapped), ServerShutdown: message("ServerShutdown", shutdown) };
}

const CONTROL_REFUSAL = message(
  "ControlRefusal",
  object("The reply to a control frame that was refused.", {
    id: REQUEST_ID,
    code: CONTROL_ERROR,
    msg: text("Error message."),
  }),
);

/** The name of a stream of `/ws/liquidity`. */
const STREAM = text(
  `Stream name: the symbol without its slash, then @, then one of ${STREAM_KINDS.join(", ")}.`,
  { examples: ["btcusd@bookTicker"] },
);

/** The name of a stream for existing clients. */
const CLIENT_STREAM = text(
  `Stream name: the symbol without its slash, then @, then one of ${CLIENT_STREAM_SUFFIXES.join(", ")}.`,
  { examples: ["btcusd@kline_1m"] },
);

/** Returns a control frame. `prefix` begins its id; `stream` is the schema of a name. */
function controlOf(
  method: (typeof STREAM_METHODS)[number],
  { prefix, stream }: Readonly<{ prefix: string; stream: JsonSchema }>,
): Exchange {
  const isList = method === "LIST_SUBSCRIPTIONS";
  return {
    id: prefix + method.toLowerCase().split("_").map(capital).join(""),
    summary: isList ? "List the streams of this connection" : `${method.toLowerCase()} streams`,
    about: `Needs no signature. Weight 1 for each stream named, and at least 1 for every 512 bytes.`,
    request: object("A control frame.", {
      id: REQUEST_ID,
      method: only(method, "Method name."),
      ...(!isList && {
        params: list(stream, "Streams. The request applies to all of them or to none."),
      }),
    }),
    reply: object("The reply.", {
      id: REQUEST_ID,
      result: isList ? list(stream, "The streams.") : { type: "null", description: "Done." },
    }),
  };
}

/** Returns events that are sent as they are. */
function plainEvents(names: readonly string[]): Messages {
  const events = names.map((name) => [name, message(name, ref(name))] as const);
  return {
    ...Object.fromEntries(events),
    MarketShutdown: message("MarketShutdown", ref("ServerShutdown")),
  };
}

/** Returns events that are sent with the name of their stream. */
function combinedEvents(names: readonly string[]): Messages {
  const wrapped = (name: string, data: string, stream: JsonSchema): readonly [string, JsonSchema] => {
    const event = object("An event with the name of its stream.", {
      stream,
      data: ref(data),
    });
    return [name, message(name, event)];
  };
  const shutdown = only(
    "!serverShutdown",
    "Not the name of a stream: the event is sent to every connection.",
  );
  return Object.fromEntries([
    ...names.map((name) => wrapped(name.replace("Client", "Combined"), name, CLIENT_STREAM)),
    wrapped("CombinedShutdown", "ServerShutdown", shutdown),
  ]);
}

/** Everything sent on a channel: requests with their replies, the refusal, and events. */
export type Conversation = Readonly<{
  exchanges: readonly Exchange[];
  refusal: string;
  events: readonly string[];
  messages: Messages;
}>;

/** Channels whose operations are described. An alias has the operations of the channel that it repeats. */
export type ChannelId = "private" | "compat" | "liquidity" | "client" | "combined";

/** Returns the conversation of each channel. Source: contract, WebSocket request methods and Events; convention 4.12. */
export function conversations(): Readonly<Record<ChannelId, Conversation>> {
  const requests = (exchanges: readonly Exchange[], events: readonly string[]): Conversation =>
    conversationOf(exchanges, { Refusal: REFUSAL }, privateEvents(events));
  const streams = (prefix: string, stream: JsonSchema, events: Messages): Conversation => {
    const exchanges = STREAM_METHODS.map((method) => controlOf(method, { prefix, stream }));
    return conversationOf(exchanges, { ControlRefusal: CONTROL_REFUSAL }, events);
  };
  const compat = COMPAT_METHODS.map(exchangeOf).map(({ id, ...exchange }) => {
    return { id: `compat${capital(id)}`, ...exchange };
  });
  const clientEvents = Object.keys(CLIENT_EVENTS);
  return {
    private: requests(METHODS.map(exchangeOf), Object.keys(PRIVATE_EVENTS)),
    compat: requests(compat, CONVENTION_EVENTS),
    liquidity: streams("market", STREAM, plainEvents(Object.keys(PUBLIC_EVENTS))),
    client: streams("client", CLIENT_STREAM, plainEvents(clientEvents)),
    combined: streams("combined", CLIENT_STREAM, combinedEvents(clientEvents)),
  };
}

function conversationOf(exchanges: readonly Exchange[], refused: Messages, events: Messages): Conversation {
  const [refusal = ""] = Object.keys(refused);
  const messages = { ...messagesOf(exchanges), ...refused, ...events };
  return { exchanges, refusal, events: Object.keys(events), messages };
}
