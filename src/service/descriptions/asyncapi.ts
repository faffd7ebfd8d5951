import { nameOption, type OptionCheck, optional, optionsOf, textOption } from "../../common/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  type Conversation,
  compatConversation,
  liquidityConversation,
  type Messages,
  pascal,
  privateConversation,
  RETURN_LIMITS,
} from "./asyncapi-messages.ts";
import { type Description, schemasUsedIn } from "./components.ts";
import { ABOUT_SERVICE, SOCKET_SIGNING } from "./signing-note.ts";

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
  serverUrl: optional(
    textOption("ws:// or wss:// followed by a host, such as wss://api.example.com", (url) =>
      SERVER.test(url),
    ),
  ),
});

/**
 * Returns the AsyncAPI 3.0 document of both WebSocket interfaces: every request method with its reply, and every event.
 * It is written from the service's side: the service receives requests and sends events. Throws a TypeError or
 * RangeError that names an option that is missing, unknown or wrong. Source: contract, WebSocket request methods and Events;
 * decisions 45, AL and AN.
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
  const [ofAccounts, ofBots] = [privateConversation(), compatConversation()];
  const ofMarkets = liquidityConversation();
  const messages = { ...ofAccounts.messages, ...ofBots.messages, ...ofMarkets.messages };
  return {
    asyncapi: "3.0.0",
    info: { title: "Managed orders", version, description: `${ABOUT_SERVICE}\n\n${SOCKET_SIGNING}` },
    defaultContentType: "application/json",
    ...(serverUrl !== undefined && {
      servers: { service: serverOf(serverUrl) },
    }),
    channels: channelsOf({ ofAccounts, ofBots, ofMarkets }),
    operations: {
      ...operationsOf("private", ofAccounts),
      privateEvents: sends("private", "Events of the account and of the connection", ofAccounts),
      ...operationsOf("compat", ofBots),
      compatEvents: sends("compat", "Events of the account and of the connection", ofBots),
      ...operationsOf("liquidity", ofMarkets),
      marketEvents: sends("liquidity", "Events of the subscribed streams", ofMarkets),
    },
    components: { schemas: schemasUsedIn(messages), messages },
  };
}

function serverOf(url: string): JsonSchema {
  const [, protocol = "", host = ""] = SERVER.exec(url) ?? [];
  return { protocol, host };
}

type ChannelId = "private" | "privateAlias" | "compat" | "liquidity";

type Conversations = Readonly<Record<"ofAccounts" | "ofBots" | "ofMarkets", Conversation>>;

const referred = (messages: Messages): JsonSchema =>
  Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));

function channelsOf({
  ofAccounts,
  ofBots,
  ofMarkets,
}: Conversations): Readonly<Record<ChannelId, JsonSchema>> {
  const query = {
    type: "object",
    properties: { returnRateLimits: RETURN_LIMITS },
    additionalProperties: false,
  };
  const privateChannel = {
    title: "Requests and private stream",
    messages: referred(ofAccounts.messages),
    bindings: { ws: { method: "GET", query } },
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
      messages: referred(ofBots.messages),
    },
    liquidity: {
      address: "/ws/liquidity",
      title: "Public streams",
      messages: referred(ofMarkets.messages),
      bindings: { ws: { method: "GET" } },
    },
  };
}

const inChannel = (channel: ChannelId, name: string): JsonSchema => ({
  $ref: `#/channels/${channel}/messages/${name}`,
});

function operationsOf(
  channel: ChannelId,
  { exchanges, refusal }: Conversation,
): Readonly<Record<string, JsonSchema>> {
  const here = { $ref: `#/channels/${channel}` };
  const receives = exchanges.map(({ id, summary, about }) => {
    const name = pascal(id);
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
  return Object.fromEntries(receives);
}

const sends = (channel: ChannelId, summary: string, { events }: Conversation): JsonSchema => ({
  action: "send",
  channel: { $ref: `#/channels/${channel}` },
  summary,
  messages: events.map((name) => inChannel(channel, name)),
});
