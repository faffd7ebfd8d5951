import { type RequestParameters, signSocketParameters } from "../../signing/index.ts";
import type { Redact } from "../errors/redaction.ts";
import type { Platform } from "../http/platform.ts";
import { type Call, Caller, type CallerSettings } from "../methods/caller.ts";
import { interpretValue } from "../replies/interpret.ts";
import type { Members } from "./connection.ts";
import type { SocketLink } from "./link.ts";
import type { SocketRoute } from "./methods.ts";

/** What a caller is made of. */
type CallerParts = Readonly<{ settings: CallerSettings; platform: Platform; redact: Redact }>;

/**
 * Calls routes over a WebSocket connection. A route without a method of its own goes by REST: the server's clock, and
 * the look-ups of an uncertain outcome, which must not depend on the connection that was lost.
 */
export class SocketCaller extends Caller {
  readonly #link: SocketLink;

  constructor(link: SocketLink, { settings, platform, redact }: CallerParts) {
    super(settings, platform, redact);
    this.#link = link;
  }

  protected override async send<T>(call: Call<T>): Promise<T> {
    const { route, parameters, options, onSend } = call;
    if (!("method" in route)) return await super.send(call);
    const { method, scheme } = route as SocketRoute<T>;
    const { timeoutMs = this.settings.timeoutMs, signal } = options;
    const params = (): RequestParameters => {
      const nowMs = this.serverClock.nowMs();
      const made = scheme === "NONE" ? parameters : this.#signedParameters(parameters, nowMs);
      onSend?.(nowMs);
      return made;
    };
    const reply = await this.#link.request({ method, params }, { timeoutMs, signal });
    const { status, error, result } = reply;
    const head = { status: typeof status === "number" ? status : 0, ...waitIn(error) };
    return interpretValue(error ?? result, head, route.read, this.redact);
  }

  #signedParameters(parameters: RequestParameters, nowMs: number): RequestParameters {
    const { apiKey, secret } = this.requireCredentials();
    const stamp = this.stamps.next(nowMs, this.settings.recvWindowMs);
    return signSocketParameters({ secret, parameters: { ...parameters, apiKey, ...stamp } });
  }
}

/** Returns the wait that a refusal demands. */
function waitIn(error: unknown): Readonly<{ retryAfterMs?: number }> {
  const data = (error as Members | undefined)?.data;
  const { serverTime, retryAfter } = (data ?? {}) as Members;
  if (typeof serverTime !== "number" || typeof retryAfter !== "number") return {};
  return { retryAfterMs: Math.max(0, retryAfter - serverTime) };
}
