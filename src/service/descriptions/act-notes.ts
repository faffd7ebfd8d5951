import { SUBSCRIBED, SUBSCRIPTION } from "../../replies/index.ts";
import type { SessionAct } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { described, integer, list, long, type NotesOf, object, ref, text } from "./schema.ts";

/** Description of a method that the connection handles itself. */
export type ActNote = Readonly<{ summary: string; about: string; reply: JsonSchema }>;

const NOTES: NotesOf<typeof SUBSCRIPTION> = {
  subscriptionId: integer("Id of the subscription, unique within this connection."),
  accountId: long("Account whose events the subscription delivers."),
};

const BEGUN = object(
  "The subscription.",
  described(SUBSCRIBED, {
    ...NOTES,
    sequence: long("Sequence number of the last event before the subscription."),
    streamId: text(
      "Id of the event stream. Sequence numbers are comparable only while this id stays the same.",
    ),
  }),
);

/** Descriptions by act. Source: decision 45; convention 4.5. */
export const ACT_NOTES: Readonly<Record<SessionAct, ActNote>> = {
  subscribe: {
    summary: "Subscribe to the events of an account",
    about: "All later events follow the reply. After a reconnect, query the current state.",
    reply: BEGUN,
  },
  subscribeByToken: {
    summary: "Subscribe with a session token",
    about: "The older push subscription. It works only if the operator issues session tokens.",
    reply: BEGUN,
  },
  unsubscribe: {
    summary: "End one subscription, or all of them",
    about: "The event eventStreamTerminated follows the reply.",
    reply: ref("Empty"),
  },
  subscriptions: {
    summary: "List the subscriptions of this connection",
    about: "Lists the subscriptions, oldest first.",
    reply: list(object("A subscription.", described(SUBSCRIPTION, NOTES)), "The subscriptions."),
  },
};
