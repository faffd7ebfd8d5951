import type { SessionAct } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { integer, list, long, object, ref, text } from "../views/schema.ts";

/** Description of a method that the connection handles itself. */
export type ActNote = Readonly<{ summary: string; about: string; reply: JsonSchema }>;

const SUBSCRIPTION = integer("Id of the subscription within this connection.");
const ACCOUNT = long("Account whose events it brings.");

const BEGUN = object("The subscription.", {
  subscriptionId: SUBSCRIPTION,
  accountId: ACCOUNT,
  sequence: long("Number of the last event before it."),
  streamId: text("While it is the same, numbers of events can be compared."),
});

/** Descriptions by act. Source: decision 45; convention 4.5. */
export const ACT_NOTES: Readonly<Record<SessionAct, ActNote>> = {
  subscribe: {
    summary: "Subscribe to the events of an account",
    about: "Every later event follows the reply. After a reconnect read the state by query.",
    reply: BEGUN,
  },
  subscribeByToken: {
    summary: "Subscribe by a session token",
    about: "The older push subscription; only where the operator knows session tokens.",
    reply: BEGUN,
  },
  unsubscribe: {
    summary: "End one subscription, or all of them",
    about: "The event eventStreamTerminated follows the reply.",
    reply: ref("Empty"),
  },
  subscriptions: {
    summary: "List the subscriptions of this connection",
    about: "Oldest first.",
    reply: list(
      object("A subscription.", { subscriptionId: SUBSCRIPTION, accountId: ACCOUNT }),
      "The subscriptions.",
    ),
  },
};
