import { nameOption, type OptionCheck, optionalOption, optionsOf, textOption } from "../../common/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { ABOUT_SERVICE, type Description, SOCKET_SIGNING, schemasUsedIn } from "./components.ts";
import {
  type ChannelId,
  type Conversation,
  conversations,
  type Messages,
  RETURN_LIMITS,
} from "./conversations.ts";
import { capital, only, text } from "./schema.ts";

/** Deployment details for the description of the WebSocket interface. */
export interface AsyncApiOptions {
  /** Version of the interface, such as 0.1.0. */
  readonly version: string;
  /** Base address without a path, such as `wss://api.example.com`. Without it the document names no server. */
  readonly serverUrl?: string;
}

const SERVER = /^(wss?):\/\/([^/]+)$/;

const documentOption: OptionCheck = optionsOf<AsyncApiOptions>({
  version: nameOption,
  serverUrl: optionalOption(
    textOption("ws:// or wss:// followed by a host, such as wss://api.example.com", (url) =>
      SERVER.test(url),
    ),
  ),
});

/**
 * Returns the AsyncAPI 3.0 document of all WebSocket paths: every request method with its reply, and every event. It is
 * written from the service's side: the service receives requests and sends events. Throws a TypeError or RangeError that
 * names an option that is missing, unknown or wrong. Source: contract, WebSocket request methods and Events.
 *
 * @example
 * ```ts
 * import { asyncApiDocument } from "managed-orders/service";
 * const { asyncapi, operations } = asyncApiDocument({ version: "0.1.0", serverUrl: "wss://api.example.com" });
 * console.log(asyncapi, Object.keys(operations ?? {}).includes("orderPlace")); // 3.0.0 true
 * ```
 */
export function asyncApiDocument(options: AsyncApiOptions): Description {
  documentOption(options, "asyncApiDocument");
  const { version, serverUrl } = options;
  const all = conversations();
  const messages: Messages = Object.fromEntries(
    Object.values(all).flatMap((one) => Object.entries(one.messages)),
  );
  return {
    asyncapi: "3.0.0",
    info: { title: "Managed orders", version, description: `${ABOUT_SERVICE}\n\n${SOCKET_SIGNING}` },
    defaultContentType: "application/json",
    ...(serverUrl !== undefined && { servers: { service: serverOf(serverUrl) } }),
    channels: channelsOf(all),
    operations: {
      ...operationsOf("private", all.private, { privateEvents: ACCOUNT_EVENTS }),
      ...operationsOf("compat", all.compat, { compatEvents: ACCOUNT_EVENTS }),
      ...operationsOf("liquidity", all.liquidity, { marketEvents: STREAM_EVENTS }),
      ...operationsOf("client", all.client, { clientEvents: STREAM_EVENTS }),
      ...operationsOf("combined", all.combined, { combinedEvents: STREAM_EVENTS }),
    },
    components: { schemas: schemasUsedIn(messages), messages },
  };
}

function serverOf(url: string): JsonSchema {
  const [, protocol = "", host = ""] = SERVER.exec(url) ?? [];
  return { protocol, host };
}

type Conversations = ReturnType<typeof conversations>;

const ACCOUNT_EVENTS = "Events of the account and of the connection";
const STREAM_EVENTS = "Events of the subscribed streams";

const referred = (messages: Messages): JsonSchema =>
  Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));

/** Returns the binding of a channel whose address takes these query parameters. */
const bindingOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ws: { method: "GET", query: { type: "object", properties, additionalProperties: false } },
});

function channelsOf(conversations: Conversations): Readonly<Record<string, JsonSchema>> {
  const privateChannel = {
    title: "Requests and private stream",
    messages: referred(conversations.private.messages),
    bindings: bindingOf({ returnRateLimits: RETURN_LIMITS }),
  };
  return {
    private: { address: "/ws/listenKey", ...privateChannel },
    privateAlias: {
      address: "/ws-api/v3",
      description:
        "The same channel under the path of the public convention. It has every operation of /ws/listenKey.",
      ...privateChannel,
    },
    compat: {
      ...privateChannel,
      address: "/compat/ws-api/v3",
      title: "Requests and private stream for existing clients",
      description: "Names, forms and events are those of the public convention.",
      messages: referred(conversations.compat.messages),
    },
    liquidity: {
      address: "/ws/liquidity",
      title: "Public streams",
      messages: referred(conversations.liquidity.messages),
      bindings: { ws: { method: "GET" } },
    },
    ...clientChannelsOf(conversations),
  };
}

const TIME_UNIT = only("MILLISECOND", "Times are in milliseconds. Read in any letter case.");

/** Returns the channels of the public streams for existing clients, at both of their paths. */
function clientChannelsOf({
  client,
  combined,
}: Pick<Conversations, "client" | "combined">): Readonly<Record<string, JsonSchema>> {
  const plainChannel = {
    title: "Public streams for existing clients",
    parameters: {
      streams: {
        description:
          "Stream names, separated by slashes; or a number of at most four digits, for a connection without streams.",
        examples: ["btcusd@trade", "btcusd@trade/btcusd@kline_1m", "0"],
      },
    },
    messages: referred(client.messages),
    bindings: bindingOf({ timeUnit: TIME_UNIT }),
  };
  const streams = text(
    "Stream names, separated by slashes. Without them, the connection has no streams yet.",
    {
      examples: ["btcusd@trade/btcusd@kline_1m"],
    },
  );
  const combinedChannel = {
    title: "Public streams for existing clients, each event with the name of its stream",
    messages: referred(combined.messages),
    bindings: bindingOf({ streams, timeUnit: TIME_UNIT }),
  };
  const alias = (path: string): string =>
    `The same channel below the prefix for existing clients. It has every operation of ${path}.`;
  return {
    client: { address: "/ws/{streams}", ...plainChannel },
    clientAlias: { address: "/compat/ws/{streams}", description: alias("/ws/{streams}"), ...plainChannel },
    combined: { address: "/stream", ...combinedChannel },
    combinedAlias: { address: "/compat/stream", description: alias("/stream"), ...combinedChannel },
  };
}

const inChannel = (channel: ChannelId, name: string): JsonSchema => ({
  $ref: `#/channels/${channel}/messages/${name}`,
});

/** Returns the operations of a channel: its requests, and the sending of its events under the name with their summary. */
function operationsOf(
  channel: ChannelId,
  { exchanges, refusal, events }: Conversation,
  sent: Readonly<Record<string, string>>,
): Readonly<Record<string, JsonSchema>> {
  const here = { $ref: `#/channels/${channel}` };
  const receives = exchanges.map(({ id, summary, about }) => {
    const name = capital(id);
    const operation = {
      action: "receive",
      channel: here,
      summary,
      description: about,
      messages: [inChannel(channel, `${name}Request`)],
      reply: {
        channel: here,
        messages: [inChannel(channel, `${name}Reply`), inChannel(channel, refusal)],
      },
    };
    return [id, operation] as const;
  });
  const messages = events.map((name) => inChannel(channel, name));
  const sends = Object.entries(sent).map(
    ([id, summary]) => [id, { action: "send", channel: here, summary, messages }] as const,
  );
  return Object.fromEntries([...receives, ...sends]);
}
