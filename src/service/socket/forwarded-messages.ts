import { OrderError } from "../../errors/index.ts";
import { writeJson } from "../../wire/index.ts";
import { Elsewhere } from "../access/ownership.ts";
import type { ShardElsewhere } from "../rest/rest-service.ts";
import type { OpenStream, StreamSink } from "./answers.ts";
import type { SessionParts } from "./connection.ts";
import { privateForm } from "./destinations.ts";
import { type MessageHandling, passMessage, progressOf, textOfFailure, textOfResult } from "./messages.ts";

/** A message that another node of a cluster has received and weighed. */
export type ForwardedMessage = Readonly<{
  /** Target of the client's connection. */
  target: string;
  /** Address of the client. */
  address: string;
  text: string;
  usedWeight: number;
  /** Time after which nothing is decided. */
  expiresAtMs: number;
}>;

/** The reply to a forwarded message, and the stream that it has opened. */
export type ForwardedReply = Readonly<{ text: string; stream?: OpenStream }>;

const CONNECTION_ID = "forwarded";

/**
 * Answers one message of another node. With a sink, the message asks for a stream: where one is opened, the text says its
 * account, number and id, from which the other node makes the reply. Returns the shard of an account that this node does
 * not own. Source: decision ZV.
 */
export async function answerForwarded(
  parts: SessionParts,
  { target, address, text, usedWeight, expiresAtMs }: ForwardedMessage,
  sink?: StreamSink,
): Promise<ForwardedReply | ShardElsewhere> {
  const form = privateForm(target, parts.service.settings);
  if (form === undefined) throw new OrderError("NOT_FOUND");
  let stream: OpenStream | undefined;
  const handling: MessageHandling = {
    ...{ parts, target, dialect: form.dialect, address, id: CONNECTION_ID, expiresAtMs },
    showsLimits: form.returnRateLimits,
    weigh: () => ({ used: usedWeight }),
    async act(_act, call) {
      const opened = sink && (await parts.answers.subscribe(call, sink));
      if (opened === undefined) throw new OrderError("UNKNOWN_METHOD");
      if ("text" in opened) return { answer: opened };
      stream = opened;
      const { accountId, sequence, streamId } = opened;
      return { answer: { text: writeJson({ accountId, sequence, streamId }) } };
    },
  };
  const progress = progressOf(handling, text);
  try {
    const { answer } = await passMessage(handling, progress);
    return { text: textOfResult(handling, progress, answer), ...(stream && { stream }) };
  } catch (error) {
    if (error instanceof Elsewhere) return { elsewhere: error.shard };
    return { text: textOfFailure(handling, progress, error) };
  }
}
