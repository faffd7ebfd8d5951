import { ERRORS } from "../../errors/index.ts";
import { METHODS, type MethodDescriptor, STREAM_KINDS, STREAM_METHODS } from "../../requests/index.ts";
import { AUTHENTICATION_SCHEMAS, type JsonSchema, requestSchema } from "../../requests/schemas/index.ts";
import { integer, list, long, object, only, optional, ref, text, time } from "../views/schema.ts";
import { ACT_NOTES } from "./act-notes.ts";
import { parametersSchema, UNREAD } from "./components.ts";
import { errorsOfMethod } from "./error-lists.ts";
import { CONTROL_ERROR, PRIVATE_EVENTS, PUBLIC_EVENTS } from "./event-schemas.ts";
import { ROUTE_NOTES } from "./route-notes.ts";

/** Messages by name. */
export type Messages = Readonly<Record<string, JsonSchema>>;

/** A request and its reply on the same channel. */
export type Exchange = Readonly<{
  id: string;
  summary: string;
  about: string;
  request: JsonSchema;
  reply: JsonSchema;
}>;

const message = (title: string, payload: JsonSchema): JsonSchema => ({ name: title, title, payload });

/** Schema of a request id. A reply has the id in the same JSON type. */
const ID: JsonSchema = {
  oneOf: [
    text("1-36 printable ASCII characters.", { pattern: "^[ -~]{1,36}$" }),
    long("A whole number of 64 bits."),
    { type: "null", description: "None." },
  ],
  description: "Tells which request a reply answers.",
};

const CORRELATION = { location: "$message.payload#/id", description: "The id of the request." };

/** Returns the operation id, such as orderPlace for order.place. The token subscription has an id of its own. */
const idOf = ({ name }: MethodDescriptor): string =>
  name === "SUBSCRIBE"
    ? "subscribeByToken"
    : name.split(".").reduce((id, word) => id + word.charAt(0).toUpperCase() + word.slice(1));

function exchangeOf(method: MethodDescriptor): Exchange {
  const note = "act" in method ? ACT_NOTES[method.act] : ROUTE_NOTES[method.route.name];
  const errors = errorsOfMethod(method).map((name) => `${ERRORS[name].code} ${name}`);
  const access = method.access === "PUBLIC" ? "Needs no signature." : `Needs ${method.access}.`;
  const names = [method.name, ...method.aliases];
  return {
    id: idOf(method),
    summary: note.summary,
    about: `${note.about}\n\nWeight ${method.weight}. ${access}\n\nErrors: ${errors.join(", ")}.`,
    request: object(`${note.summary}.`, {
      id: ID,
      method: text("Name of the method; v3/ before it changes nothing.", { enum: names }),
      params: paramsOf(method),
    }),
    reply: object("The answer.", {
      id: ID,
      status: only(200, "Done."),
      result: note.reply,
      rateLimits: optional(
        list(ref("UsedRateLimit"), "What was used of the limits, unless it was not to be told."),
      ),
    }),
  };
}

/** Schema of the switch for rate limits, of a connection and of a request. */
export const RETURN_LIMITS: JsonSchema = {
  type: "boolean",
  description: "Whether the reply tells the limits; without it as the connection was opened.",
};

function paramsOf(method: MethodDescriptor): JsonSchema {
  const schema = requestSchema("act" in method ? method.act : method.route.name);
  const isSigned = method.access !== "PUBLIC";
  const unread = Object.fromEntries(schema.unread.map((name) => [name, UNREAD]));
  return parametersSchema(
    {
      properties: {
        ...schema.properties,
        ...unread,
        returnRateLimits: RETURN_LIMITS,
        ...(isSigned && SIGNED_PARAMS),
      },
      required: [...schema.required, ...(isSigned ? ["apiKey", "timestamp", "signature"] : [])],
      conditions: schema.conditions,
    },
    "Whole numbers may also be sent as strings, booleans may not.",
  );
}

const SIGNED_PARAMS: Readonly<Record<string, JsonSchema>> = {
  apiKey: text("Your API key."),
  ...AUTHENTICATION_SCHEMAS,
  recvWindow: {
    ...AUTHENTICATION_SCHEMAS.recvWindow,
    type: ["integer", "string"],
    description: "How old the timestamp may be, in milliseconds; with decimals, at most three, as a string.",
  },
};

const SOCKET_ERROR = object("A refusal, or a failure.", {
  code: integer("Which error it is, a negative number.", { maximum: -1 }),
  msg: text("What is wrong."),
  data: optional(
    object("When to come back, of a limit or a ban.", {
      serverTime: time("Now."),
      retryAfter: time("When to come back."),
    }),
  ),
});

const REFUSAL = message(
  "Refusal",
  object(
    "The answer to a request that was refused or failed; id null where the request had none that could be read.",
    {
      id: ID,
      status: integer("HTTP status of the error."),
      error: SOCKET_ERROR,
      rateLimits: optional(list(ref("UsedRateLimit"), "What was used of the limits.")),
    },
  ),
);

/** Returns a control frame of the public streams. */
function controlOf(method: (typeof STREAM_METHODS)[number]): Exchange {
  const isList = method === "LIST_SUBSCRIPTIONS";
  const streams = text(`A stream: a symbol without its slash, @ and one of ${STREAM_KINDS.join(", ")}.`, {
    examples: ["btcusd@bookTicker"],
  });
  const words = method.toLowerCase().split("_");
  return {
    id: `market${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`,
    summary: isList ? "List the streams of this connection" : `${method.toLowerCase()} streams`,
    about: "No signature, no weight.",
    request: object("A control frame.", {
      id: ID,
      method: only(method, "Name of the method."),
      ...(!isList && { params: list(streams, "Streams; all of them or none.") }),
    }),
    reply: object("The answer.", {
      id: ID,
      result: isList ? list(streams, "The streams.") : { type: "null", description: "Done." },
    }),
  };
}

const CONTROL_REFUSAL = message(
  "ControlRefusal",
  object("The answer to a control frame that was refused.", {
    id: ID,
    code: CONTROL_ERROR,
    msg: text("What is wrong."),
  }),
);

/** Returns the name under which the messages of an exchange appear. */
export const pascal = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1);

function messagesOf(exchanges: readonly Exchange[]): Messages {
  return Object.fromEntries(
    exchanges.flatMap(({ id, request, reply }) => {
      const name = pascal(id);
      return [
        [`${name}Request`, { ...message(`${name}Request`, request), correlationId: CORRELATION }],
        [`${name}Reply`, { ...message(`${name}Reply`, reply), correlationId: CORRELATION }],
      ];
    }),
  );
}

/**
 * Returns the private events. An event of a subscription is wrapped with the subscription's id; an event of the
 * connection is not.
 */
function privateEvents(): Messages {
  const wrapped = Object.keys(PRIVATE_EVENTS).map((name) => {
    const event = object("An event of a subscription.", {
      subscriptionId: integer("The subscription."),
      event: ref(name),
    });
    return [name, message(name, event)] as const;
  });
  const shutdown = object("An event of the connection.", { event: ref("ServerShutdown") });
  return { ...Object.fromEntries(wrapped), ServerShutdown: message("ServerShutdown", shutdown) };
}

function publicEvents(): Messages {
  const events = Object.keys(PUBLIC_EVENTS).map((name) => [name, message(name, ref(name))] as const);
  return { ...Object.fromEntries(events), MarketShutdown: message("MarketShutdown", ref("ServerShutdown")) };
}

/** Everything sent on a channel: requests with their replies, the refusal, and events. */
export type Conversation = Readonly<{
  exchanges: readonly Exchange[];
  refusal: string;
  events: readonly string[];
  messages: Messages;
}>;

/**
 * Returns the conversation of the private channel. Source: contract, WebSocket request methods and Events; decision 45.
 */
export function privateConversation(): Conversation {
  const exchanges = METHODS.map(exchangeOf);
  const events = privateEvents();
  const messages = { ...messagesOf(exchanges), Refusal: REFUSAL, ...events };
  return { exchanges, refusal: "Refusal", events: Object.keys(events), messages };
}

/** Returns the conversation of the public streams. Source: decision 45; convention 4.12. */
export function liquidityConversation(): Conversation {
  const exchanges = STREAM_METHODS.map(controlOf);
  const events = publicEvents();
  const messages = { ...messagesOf(exchanges), ControlRefusal: CONTROL_REFUSAL, ...events };
  return { exchanges, refusal: "ControlRefusal", events: Object.keys(events), messages };
}
