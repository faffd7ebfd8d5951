import { CLIENT_STREAM_SUFFIXES, STREAM_KINDS, STREAM_METHODS } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  type Conversation,
  type Exchange,
  type Messages,
  message,
  messagesOf,
  REQUEST_ID,
} from "./asyncapi-messages.ts";
import { CLIENT_EVENTS } from "./client-event-schemas.ts";
import { CONTROL_ERROR, PUBLIC_EVENTS } from "./event-schemas.ts";
import { list, object, only, ref, text } from "./schema.ts";

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
  const words = method.toLowerCase().split("_");
  return {
    id: `${prefix}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`,
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

function conversationOf(control: Parameters<typeof controlOf>[1], events: Messages): Conversation {
  const exchanges = STREAM_METHODS.map((method) => controlOf(method, control));
  const messages = {
    ...messagesOf(exchanges),
    ControlRefusal: CONTROL_REFUSAL,
    ...events,
  };
  return {
    exchanges,
    refusal: "ControlRefusal",
    events: Object.keys(events),
    messages,
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

/** Returns the conversation of the public streams. Source: decision 45; convention 4.12. */
export function liquidityConversation(): Conversation {
  return conversationOf({ prefix: "market", stream: STREAM }, plainEvents(Object.keys(PUBLIC_EVENTS)));
}

/** Returns the conversation of `/ws/<stream>` for existing clients. Source: decision NI; convention 4.12. */
export function streamConversation(): Conversation {
  const events = plainEvents(Object.keys(CLIENT_EVENTS));
  return conversationOf({ prefix: "client", stream: CLIENT_STREAM }, events);
}

/** Returns the conversation of `/stream` for existing clients. Source: decision NI; convention 4.12. */
export function combinedConversation(): Conversation {
  const events = combinedEvents(Object.keys(CLIENT_EVENTS));
  return conversationOf({ prefix: "combined", stream: CLIENT_STREAM }, events);
}
