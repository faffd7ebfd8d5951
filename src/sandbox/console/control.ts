import type { ShownChild, ShownRecord } from "./life.ts";

/** A refusal by the control interface. Its message is the interface's own. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What `GET /control/verify` says. */
type Verified = Readonly<{ live: string; replayed: string; records: number; equal: boolean }>;

/** An account, as the control interface shows it. */
type ShownAccount = Readonly<{
  accountId: number;
  balances?: Readonly<Record<string, string>>;
  positions?: Readonly<Record<string, string>>;
}>;

/** The calls of the control interface that the page makes. */
export type Control = Readonly<{
  /** Rejects if the interface cannot be reached from this page. */
  health: () => Promise<Readonly<{ ok: boolean; state?: string; now?: number }>>;
  post: <T>(path: string, body: unknown) => Promise<T>;
  verify: () => Promise<Verified>;
  account: (accountId: number) => Promise<ShownAccount>;
  journal: (orderId: string) => Promise<readonly ShownRecord[]>;
  children: (orderId?: string) => Promise<readonly ShownChild[]>;
}>;

const UNREACHABLE =
  "The control interface does not answer. Does the sandbox still run in the terminal, at the same port?";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Returns the control interface at an address such as `http://127.0.0.1:8081/control`. */
export function controlAt(url: string, send: Fetch = (...call) => fetch(...call)): Control {
  const call = async (method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> => {
    const init: RequestInit =
      body === undefined ? { method } : { method, ...JSON_HEADER, body: JSON.stringify(body) };
    const reply = await send(`${url}/${path}`, init).catch(() => {
      throw new ControlError(0, UNREACHABLE);
    });
    const answer: unknown = await reply.json();
    if (reply.ok) return answer;
    const error = typeof answer === "object" && answer !== null ? Reflect.get(answer, "error") : undefined;
    throw new ControlError(reply.status, typeof error === "string" ? error : `HTTP ${reply.status}`);
  };
  const get = <T>(path: string): Promise<T> => call("GET", path) as Promise<T>;
  const post = <T>(path: string, body: unknown): Promise<T> => call("POST", path, body) as Promise<T>;
  return {
    health: () => get("health"),
    post,
    verify: () => get("verify"),
    account: (accountId) => get(`accounts/${accountId}`),
    journal: (orderId) => get(`orders/${orderId}/journal`),
    children: (orderId) => get(orderId === undefined ? "children" : `children?orderId=${orderId}`),
  };
}

const JSON_HEADER = { headers: { "Content-Type": "application/json" } } as const;

/**
 * The faults that the page offers, by the name of their choice: what they are called, what happens, and the body of the
 * call that sets them. Each but the last of the venue concerns the next child only.
 */
export const FAULTS = {
  none: {
    label: "No fault",
    description: "The venue answers, and the store writes.",
    body: { venue: { mode: "none" }, store: { mode: "none" } },
  },
  "timeout-after": {
    label: "Answer lost, child executes",
    description: "The engine must find out that the next child was executed, and must not send it again.",
    body: { venue: { mode: "timeout-after", count: 1 } },
  },
  "timeout-before": {
    label: "Child never arrives",
    description: "The engine must prove that the next child never arrived before the order may act again.",
    body: { venue: { mode: "timeout-before", count: 1 } },
  },
  reject: {
    label: "Venue refuses the child",
    description: "The next child is refused. The order waits a moment and tries again.",
    body: { venue: { mode: "reject", count: 1 } },
  },
  partial: {
    label: "Child fills in part",
    description: "Of the next child, half is executed. The order sends the rest.",
    body: { venue: { mode: "partial", count: 1, fraction: "0.5" } },
  },
  hold: {
    label: "Venue holds the child",
    description: "The next child stays in flight until you release it. A cancel waits for its outcome.",
    body: { venue: { mode: "hold", count: 1 } },
  },
  "store-fail": {
    label: "Store fails once",
    description: "The next append fails. What is not durable is not accepted, and nothing leaves the engine.",
    body: { store: { mode: "fail", count: 1 } },
  },
  "store-unknown": {
    label: "Append without an answer",
    description: "The outcome of the next append is unknown. The engine reads the store before it goes on.",
    body: { store: { mode: "unknown", count: 1 } },
  },
} as const;

/** Returns the fault of a text from the page, or none. */
export const faultOf = (text: string): keyof typeof FAULTS =>
  Object.hasOwn(FAULTS, text) ? (text as keyof typeof FAULTS) : "none";

/** The points at which the process can kill itself, with what has happened there. */
export const CRASHES: readonly (readonly [at: string, label: string])[] = [
  ["after-submit", "after its child was sent"],
  ["before-submit", "before its child is sent"],
  ["before-outcome-append", "before its fill is written"],
  ["before-append", "before the next record"],
  ["after-append", "after the next record"],
];
