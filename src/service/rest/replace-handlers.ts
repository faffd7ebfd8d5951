import type { CancelName, Replacement } from "../../engine/index.ts";
import { OrderError, replyAfterDecision } from "../../errors/index.ts";
import { type ReplaceCommand, readReplacement } from "../../requests/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { canceledView, viewOf } from "../views/managed-order.ts";
import { replyForClient } from "./compat/forms.ts";
import {
  type AccountKey,
  clientIdsOf,
  findManaged,
  managedId,
  nativeKeyOf,
  readWithCatalogue,
} from "./look-ups.ts";
import { namedAsSent } from "./order-handlers.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";
import { retained } from "./rejections.ts";

type Command = ReplaceCommand & Readonly<{ accountId: number }>;

/** What became of the two halves of a replacement. Source: convention 3.4. */
type Halves = Readonly<{
  cancelResult: "SUCCESS" | "FAILURE";
  newOrderResult: "SUCCESS" | "NOT_ATTEMPTED";
  cancelResponse: JsonInput;
  newOrderResponse: JsonInput;
}>;

/** The refusal of a replacement of which a half failed. The answer tells of both halves in `data`. */
class HalvesError extends OrderError {
  readonly #data: JsonInput;

  constructor(reason: "CANCEL_REPLACE_PARTIAL" | "CANCEL_REPLACE_FAILED", advice: string, data: JsonInput) {
    super(reason, { advice });
    this.#data = data;
  }

  override toBody() {
    return { ...super.toBody(), data: this.#data };
  }
}

/**
 * POST /api/order/cancelReplace: places a managed order in place of another, in one step. The new order is checked first: its
 * refusal is answered as that of a placement, and the other order stays as it is. Otherwise the answer tells of both halves, and
 * is -2022 if neither was done and -2021 if only one was. The same bytes or the same newClientOrderId sent again are answered as
 * before, and do nothing. Counts as an order if the new one is placed. Source: convention 3.4.
 */
export async function replaceOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const command = await readWithCatalogue(
    parts,
    call,
    (resolve) => readReplacement(call.parameters, { resolve, clientId: clientIdsOf(call) }),
    (request) => isPlaced(parts, request),
  );
  const { accountId, intent, mode, restriction } = command;
  const name = await replacedName(parts, command);
  const cancel: CancelName = { ...name, ...(restriction !== undefined && { restriction }) };
  try {
    const request = { accountId, intent, cancel, mode, notAfterMs: parts.expiresAtMs };
    const { placed, counts } = await parts.placements.replaceOrder(request);
    return { body: await answered(parts, call, command, placed), counts };
  } catch (error) {
    if (error instanceof HalvesError) throw error;
    if (error instanceof OrderError && OF_CANCEL.has(error.reason)) throw await neither(parts, call, error);
    throw retained(parts, { accountId, order: intent }, namedAsSent(call, error));
  }
}

/** Refusals of the order to replace. All others are of the new order. */
const OF_CANCEL: ReadonlySet<string> = new Set([
  "CANCEL_REJECTED",
  "CANCEL_RESTRICTED",
  "CANCEL_REPLACE_FAILED",
]);

async function isPlaced({ engine }: ServiceParts, { accountId, intent }: Command): Promise<boolean> {
  const { clientOrderId, symbol } = intent;
  return (await engine.find({ accountId, clientOrderId }))?.intent.symbol === symbol;
}

/** Returns the name of the order to replace. Throws if two ids name different orders, or if it is an open native order. */
async function replacedName(parts: ServiceParts, command: Command): Promise<CancelName> {
  const { accountId, intent, orderId, clientOrderId } = command;
  const key: AccountKey = {
    ...{ accountId, symbol: intent.symbol },
    ...(orderId !== undefined && { orderId }),
    ...(clientOrderId !== undefined && { clientOrderId }),
  };
  const managed = await findManaged(parts, key);
  const isNative = orderId !== undefined && orderId > 0n;
  if (isNative || (orderId === undefined && managed?.ended !== undefined) || managed === undefined) {
    const native = isNative || orderId === undefined ? await parts.native?.find(nativeKeyOf(key)) : undefined;
    const isOpen = native !== undefined && OPEN.has(native.status);
    // A copy is answered as before, whatever has the client id of the order before now.
    if (isOpen && managed?.unreplaced !== intent.clientOrderId && !(await isPlaced(parts, command)))
      throw new OrderError("CANCEL_REPLACE_FAILED", { advice: NATIVE });
  }
  if (orderId !== undefined) return { orderId: managedId(orderId) ?? 0 };
  return { clientOrderId: clientOrderId ?? "" };
}

const OPEN: ReadonlySet<string> = new Set(["NEW", "PARTIALLY_FILLED"]);
const NATIVE = "The order to cancel is a native order. Cancel it, then place the new one.";

/** Returns the answer to a replacement whose halves were both done. Throws that to any other. */
async function answered(
  parts: ServiceParts,
  call: SignedCall,
  { cancelId }: Command,
  { canceled, order }: Replacement,
): Promise<JsonInput> {
  const { route } = call;
  const halves = replyAfterDecision(
    (): Halves => ({
      cancelResult: canceled === undefined ? "FAILURE" : "SUCCESS",
      newOrderResult: order === undefined ? "NOT_ATTEMPTED" : "SUCCESS",
      cancelResponse:
        canceled === undefined
          ? new OrderError("CANCEL_REJECTED").toBody()
          : canceledView(parts, canceled, { route, cancelId }),
      newOrderResponse: order === undefined ? null : viewOf(parts, order, route),
    }),
  );
  if (canceled !== undefined && order !== undefined) return halves;
  const advice = order === undefined ? PENDING : ALONE;
  throw new HalvesError("CANCEL_REPLACE_PARTIAL", advice, await told(parts, call, halves));
}

const PENDING =
  "The new order was not placed: a child of the other order was not settled. When that order has ended, read what it has executed before you place another.";
const ALONE = "The new order was placed: the order to cancel is unknown or has ended.";

/** Returns the refusal of a replacement of which nothing was done. */
async function neither(parts: ServiceParts, call: SignedCall, refusal: OrderError): Promise<OrderError> {
  const halves: Halves = {
    cancelResult: "FAILURE",
    newOrderResult: "NOT_ATTEMPTED",
    cancelResponse: refusal.toBody(),
    newOrderResponse: null,
  };
  return new HalvesError("CANCEL_REPLACE_FAILED", refusal.remedy, await told(parts, call, halves));
}

/** Returns the halves as the clients of the route read them. An answer without an error passes there anyway. */
async function told(
  parts: ServiceParts,
  { route, parameters }: SignedCall,
  body: Halves,
): Promise<JsonInput> {
  if (route.compat !== true) return body;
  return await replyForClient(parts, route.name, { body, requested: parameters });
}
