import {
  createClient,
  type FetchLike,
  followOrders,
  type NewManagedOrder,
  type OrderStream,
  UncertainOutcome,
} from "managed-orders/client";
import { sign } from "managed-orders/signing";

/** What a runtime hands to the program. `fetch` is that of the platform; `name` makes client ids of its own. */
export type Given = Readonly<{
  baseUrl: string;
  apiKey: string;
  secret: string;
  name: string;
  fetch: FetchLike;
}>;

/** A step of the program. It has gone well if it has no failure. */
export type Step = Readonly<{ step: string; failure?: string }>;

/** HMAC-SHA256 of a text with letters of one to four bytes, as `openssl dgst -sha256 -hmac secret` computes it. */
const PAYLOAD = "symbol=BTC/USD&note=aé€😀";
const SIGNATURE = "509e69ce458f5aa33babb36ea6eaba42b44787ed2e301f6e5b84194b0e1235d5";

/** An order that executes with the next quote of the sandbox, far below this price. */
const ORDER = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.001",
  price: "70000",
} as const;

const STEPS: Readonly<Record<string, (given: Given) => void | Promise<void>>> = {
  signs,
  "places and follows": placesAndFollows,
  "finds a lost order": findsLost,
};

/** Runs the steps against a service, in every runtime the same; only some of them if they are named. */
export async function program(
  given: Given,
  names: readonly string[] = Object.keys(STEPS),
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const step of names) {
    try {
      await STEPS[step]?.(given);
      steps.push({ step });
    } catch (error) {
      const failure = error instanceof Error ? `${error.message} ${error.stack ?? ""}` : String(error);
      steps.push({ step, failure });
    }
  }
  return steps;
}

/** What a form holds: a field that was left empty is undefined. */
export type Form = Readonly<{ expireTime: number | undefined; reduceOnly?: boolean | undefined }>;

/** An order of a form compiles also with `exactOptionalPropertyTypes`. */
export const orderOf = (form: Form): NewManagedOrder => ({ ...ORDER, ...form });

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function signs(): void {
  const signature = sign({ secret: "secret", payload: PAYLOAD });
  demand(signature === SIGNATURE, `the signature is ${signature}`);
}

/** The stream tells that the order was executed, and so does a query. */
async function placesAndFollows({ baseUrl, apiKey, secret, name }: Given): Promise<void> {
  const access = { baseUrl, apiKey, secret };
  const client = createClient(access);
  const stream = followOrders(access);
  try {
    await stream.ready;
    const newClientOrderId = `${name}-followed`;
    const filled = filledOn(stream, newClientOrderId);
    const placed = await client.placeOrder({ ...orderOf({ expireTime: undefined }), newClientOrderId });
    demand(placed.clientOrderId === newClientOrderId, `the order is ${placed.clientOrderId}`);
    await filled;
    const { status, executedQty } = await client.order({ symbol: ORDER.symbol, orderId: placed.orderId });
    demand(status === "FILLED" && Number(executedQty) === 0.001, `the order is ${status} of ${executedQty}`);
  } finally {
    stream.close();
  }
}

/** Resolves when the stream tells that an order is filled; rejects when the stream ends before. */
async function filledOn(stream: OrderStream, clientOrderId: string): Promise<void> {
  for await (const event of stream) {
    if (event.kind !== "order" || event.order.clientOrderId !== clientOrderId) continue;
    if (event.order.status === "FILLED" && event.event !== undefined) return;
  }
  throw new Error("the stream ended before the order was filled");
}

/** The reply to the placement is lost behind the service; `reconcile` finds the order. */
async function findsLost({ baseUrl, apiKey, secret, name, fetch }: Given): Promise<void> {
  const losing: FetchLike = async (url, request) => {
    const reply = await fetch(url, request);
    if (request.method !== "POST") return reply;
    await reply.text();
    throw new TypeError("the connection is lost");
  };
  const client = createClient({ baseUrl, apiKey, secret, fetch: losing });
  const newClientOrderId = `${name}-lost`;
  const error: unknown = await client
    .placeOrder({ ...ORDER, newClientOrderId })
    .catch((reason: unknown) => reason);
  if (!(error instanceof UncertainOutcome)) throw new Error(`the outcome is certain: ${String(error)}`);
  const { state, order } = await error.reconcile();
  demand(state === "placed", `the outcome is ${state}`);
  demand(order?.clientOrderId === newClientOrderId, `the order is ${order?.clientOrderId}`);
}
