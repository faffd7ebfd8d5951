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
export type Verified = Readonly<{ live: string; replayed: string; records: number; equal: boolean }>;

/** An account, as the control interface shows it. */
export type ShownAccount = Readonly<{
  accountId: number;
  balances?: Readonly<Record<string, string>>;
  positions?: Readonly<Record<string, string>>;
}>;

/** The calls of the control interface that the page makes. */
export type Control = Readonly<{
  /** Rejects if the interface cannot be reached from this page. */
  health: () => Promise<Readonly<{ ok: boolean; state?: string; now?: number }>>;
  post: (path: string, body: unknown) => Promise<unknown>;
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
  const ask = async (method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> => {
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
  const get = <T>(path: string): Promise<T> => ask("GET", path) as Promise<T>;
  return {
    health: () => get("health"),
    post: (path, body) => ask("POST", path, body),
    verify: () => get("verify"),
    account: (accountId) => get(`accounts/${accountId}`),
    journal: (orderId) => get(`orders/${orderId}/journal`),
    children: (orderId) => get(orderId === undefined ? "children" : `children?orderId=${orderId}`),
  };
}

const JSON_HEADER = { headers: { "Content-Type": "application/json" } } as const;
