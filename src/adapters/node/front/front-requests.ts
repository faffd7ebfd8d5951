import { errorName } from "../../../common/index.ts";
import type { ApiKey } from "../../../model/index.ts";
import type { Telemetry } from "../../../ports/index.ts";
import type { Front, Service, SocketService } from "../../../service/index.ts";
import type { Traffic, Worked } from "../../../service/internal.ts";
import type { WireRequest } from "../../../wire/index.ts";
import { REQUEST_COST } from "../connections.ts";
import {
  type Batch,
  joinHeaders,
  type MessageOf,
  splitHead,
  splitParameters,
  type ToFront,
  type WorkText,
} from "./messages.ts";

/** Number of keys whose secrets one front thread knows at once. */
const MOST = 10_000;

type Taught = Readonly<{ apiKey: string; secret: string }>;

/**
 * The secrets that a front thread knows, by number. A changed secret gets another number, so that it is always clear
 * which secret verified a signature. A front thread learns a secret only after a valid signature was made with it, so
 * other clients cannot fill the table.
 */
export class FrontKeys {
  readonly #send: (apiKey: string, number: number, secret: string | undefined) => void;
  readonly #taught: Map<number, Taught> = new Map();
  readonly #numbers: Map<string, number> = new Map();
  #count = 0;

  constructor(send: (apiKey: string, number: number, secret: string | undefined) => void) {
    this.#send = send;
  }

  /** Returns the key and secret of a number, or undefined if the secret was withdrawn. */
  taught(number: number): Taught | undefined {
    return this.#taught.get(number);
  }

  /** Gives a key's secret to the front thread, after a signature of the key was verified. */
  teach({ apiKey, secret }: ApiKey): void {
    const known = this.#numbers.get(apiKey);
    if (known !== undefined && this.#taught.get(known)?.secret === secret) return;
    if (known !== undefined) this.revoke(known);
    const [oldest] = this.#taught.keys();
    if (oldest !== undefined && this.#taught.size >= MOST) this.revoke(oldest);
    const number = ++this.#count;
    this.#taught.set(number, { apiKey, secret });
    this.#numbers.set(apiKey, number);
    this.#send(apiKey, number, secret);
  }

  /** Withdraws a secret that is no longer the key's. */
  revoke(number: number): void {
    const taught = this.#taught.get(number);
    if (taught === undefined) return;
    this.#taught.delete(number);
    this.#numbers.delete(taught.apiKey);
    this.#send(taught.apiKey, number, undefined);
  }
}

/** The results of a front thread for one request or message, in the form that the service takes. */
export class FrontCall implements Front {
  readonly worked: Worked | undefined;
  readonly #keys: FrontKeys;
  readonly #number: number;

  constructor(keys: FrontKeys, work: WorkText | undefined) {
    this.#keys = keys;
    this.#number = work?.[0] ?? -1;
    this.worked = work && workedOf(keys, work);
  }

  proved(key: ApiKey): void {
    this.#keys.teach(key);
  }

  outdated(): void {
    this.#keys.revoke(this.#number);
  }
}

/** Returns undefined if the secret has been withdrawn meanwhile. */
function workedOf(
  keys: FrontKeys,
  [number, signature, parameters, id, method]: WorkText,
): Worked | undefined {
  const taught = keys.taught(number);
  if (taught === undefined) return undefined;
  const worked = { ...taught, signature, parameters: splitParameters(parameters) };
  return id === undefined || method === undefined ? worked : { ...worked, envelope: { id, method } };
}

/** A request as a front thread sent it. Headers and body are decoded on access. */
class FrontRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string;
  readonly #head: string;
  readonly #body: string;

  constructor([, , method, target, head, ...rest]: MessageOf<"request"> | MessageOf<"admit">) {
    const [body, remoteAddress] = rest.length === 1 ? ["", rest[0]] : rest;
    this.method = method;
    this.target = target;
    this.remoteAddress = remoteAddress;
    this.#head = head;
    this.#body = body;
  }

  get rawHeaders(): readonly string[] {
    return splitHead(this.#head);
  }

  get body(): Uint8Array {
    return Buffer.from(this.#body, "latin1");
  }

  /** Its length as received. */
  get bytes(): number {
    return this.target.length + this.#head.length + this.#body.length;
  }
}

/** Parts that the front threads of one server share on the main thread. */
export type SharedParts = Readonly<{
  service: Pick<Service, "handle">;
  sockets?: SocketService | undefined;
  traffic: Traffic;
  telemetry?: Telemetry | undefined;
  /** Open connections of all threads, and their limit. */
  connections: { open: number; readonly most: number };
}>;

/** What handles the messages of one front thread: the shared parts, the answers on their way, and its secrets. */
export type FrontParts = SharedParts & Readonly<{ batch: Batch<ToFront>; keys: FrontKeys }>;

/** Lets the service answer the requests of a front thread. */
export class FrontRequests {
  readonly #parts: FrontParts;

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  /**
   * Answers a request. Counts its bytes for its network while it is being answered; the thread counts them before and
   * after.
   */
  async serve(message: MessageOf<"request">): Promise<void> {
    const { service, traffic, batch, keys } = this.#parts;
    const id = message[1];
    const request = new FrontRequest(message);
    let cut = false;
    const holdings = traffic.guest(traffic.networkOf(request), {
      unsentBytes: () => 0,
      evict: () => {
        cut = true;
        batch.add(["cut", id]);
      },
    });
    try {
      if (!holdings.hold("unanswered", request.bytes + REQUEST_COST)) return;
      const { status, headers, body } = await service.handle(request, new FrontCall(keys, message[7]));
      if (!cut) batch.add(["reply", id, status, joinHeaders(headers), body]);
    } catch (error) {
      batch.add(["threw", id, errorName(error)]);
    } finally {
      holdings.end();
    }
  }

  async admit(message: MessageOf<"admit">): Promise<void> {
    const { sockets, batch } = this.#parts;
    const id = message[1];
    try {
      const refused = await sockets?.admit(new FrontRequest(message));
      if (refused === undefined) return batch.add(["admitted", id]);
      batch.add(["reply", id, refused.status, joinHeaders(refused.headers), refused.body]);
    } catch (error) {
      batch.add(["threw", id, errorName(error)]);
    }
  }
}
