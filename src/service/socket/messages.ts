import { OrderError } from "../../errors/index.ts";
import type { Awaitable, OrderCounts, WeightVerdict } from "../../ports/index.ts";
import type { Dialect, MethodDescriptor, SessionAct } from "../../requests/index.ts";
import type { Front } from "../access/front-work.ts";
import { requireWeight } from "../access/rate-limits.ts";
import { refusalOf } from "../rest/failures.ts";
import type { Answer } from "../rest/parts.ts";
import { UNKNOWN_WEIGHT } from "../rest/routing.ts";
import type { MethodCall, PassedText } from "./answers.ts";
import type { SessionParts } from "./connection.ts";
import { refusalText, resultText, type SocketReplyStamp } from "./replies.ts";
import {
  readSocketParameters,
  requestOf,
  type SocketRequest,
  socketParametersOf,
  weightOfRequest,
} from "./request.ts";

/** State of a message while it is being answered. */
export type Progress = {
  readonly text: string;
  readonly request: SocketRequest;
  readonly front: Front | undefined;
  verdict?: WeightVerdict;
  orders?: OrderCounts | undefined;
  showsLimits: boolean;
};

/** The answer to a message, and a step to run after sending it. */
export type MessageResult = Readonly<{ answer: Answer | PassedText; after?: () => void }>;

/** How the messages of one connection are answered. `id` names the connection to operators. */
export type MessageHandling = Readonly<{
  parts: SessionParts;
  target: string;
  dialect: Dialect;
  address: string;
  /** Name of the connection, if it is one of this node. */
  connection?: string;
  id: string;
  /** Whether replies report the rate limits if a message does not say. */
  showsLimits: boolean;
  /** Time after which nothing is decided, of a message that another node has received. */
  expiresAtMs?: number;
  weigh: (weight: number) => Awaitable<WeightVerdict>;
  act: (act: SessionAct, call: MethodCall) => Promise<MessageResult>;
}>;

/** Begins to answer a message. */
export const progressOf = (
  { dialect, showsLimits }: MessageHandling,
  text: string,
  front?: Front,
): Progress => ({ text, request: requestOf(text, front, dialect), front, showsLimits });

/** Runs the defences of every message in order, then its handler. Source: hostile inputs, Defences in order. */
export async function passMessage(handling: MessageHandling, progress: Progress): Promise<MessageResult> {
  const { parts, target, dialect, address, connection, weigh, expiresAtMs } = handling;
  const { request, front, text } = progress;
  const weight = "method" in request ? weightOfRequest(request, front, dialect) : UNKNOWN_WEIGHT;
  const verdict = await weigh(weight);
  progress.verdict = verdict;
  requireWeight(parts.service, verdict);
  if ("problem" in request) throw request.problem;
  const { method } = request;
  if (!isServed(parts, method)) throw new OrderError("UNKNOWN_METHOD");
  const read = front?.worked && socketParametersOf(front.worked.parameters, dialect);
  const { returnRateLimits, ...parameters } = read ?? readSocketParameters(request.params, dialect);
  progress.showsLimits = returnRateLimits ?? handling.showsLimits;
  const call = {
    ...{ method, front, text, target, dialect, address, connection, expiresAtMs },
    usedWeight: verdict.used,
    ...parameters,
  };
  if ("act" in method) return await handling.act(method.act, call);
  const answer = await parts.answers.answer(call);
  if (!("text" in answer)) progress.orders = answer.counts;
  return { answer };
}

function isServed({ serves, hasTokens }: SessionParts, method: MethodDescriptor): boolean {
  return "route" in method ? serves(method.route) : method.act !== "subscribeByToken" || hasTokens;
}

/** Returns the text of the reply to a message that was answered. */
export function textOfResult(
  handling: MessageHandling,
  progress: Progress,
  answer: MessageResult["answer"],
): string {
  return "text" in answer ? answer.text : resultText(answer, stampOf(handling, progress));
}

/** Returns the text of the reply to a message that failed. */
export function textOfFailure(handling: MessageHandling, progress: Progress, error: unknown): string {
  const { service } = handling.parts;
  const method = "method" in progress.request ? progress.request.method : undefined;
  const refusal = refusalOf(service, error, {
    fields: { connectionId: handling.id, method: method?.name ?? "none" },
    onlyReads: method?.access !== "TRADE",
  });
  const mayBe200 = service.settings.businessErrorsAs200 === true && handling.dialect === "own";
  return refusalText(refusal, stampOf(handling, progress), {
    businessAs200: mayBe200,
    nowMs: service.clock.nowMs(),
  });
}

function stampOf(
  { parts }: MessageHandling,
  { request, verdict, orders, showsLimits }: Progress,
): SocketReplyStamp {
  const { limits } = parts.service.rateLimiter;
  const weight = verdict && { weight: verdict.used };
  return { id: request.id, used: showsLimits ? { limits, orders, ...weight } : undefined };
}
