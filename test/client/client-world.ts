import {
  type Client,
  type ClientOptions,
  createClient,
  type FetchRequest,
  type FetchResponse,
} from "../../src/client/index.ts";
import type { Service } from "../../src/service/index.ts";
import { type NativeWorld, openNativeWorld } from "../support/native-world.ts";
import { type Credentials, KEYS, type WorldOptions } from "../support/service-world.ts";

/** A request as a client sent it. */
export type SentCall = Readonly<{ url: URL; request: FetchRequest }>;

/** What happens to a call in place of the service; `pass` hands it to the service. */
export type Fault = (call: SentCall, pass: () => Promise<Response>) => Promise<FetchResponse>;

/** Hands the calls of a client to a service in process, and lets faults happen to them. */
export class TestWire {
  readonly calls: SentCall[] = [];
  readonly #service: Service;
  readonly #faults: Readonly<{ path: string; fault: Fault; times: number }>[] = [];

  constructor(service: Service) {
    this.#service = service;
  }

  /** The next calls of a path, one by default, suffer the fault. */
  strike(path: string, fault: Fault, times = 1): void {
    this.#faults.push({ path, fault, times });
  }

  /** No further call suffers a fault. */
  forgive(): void {
    this.#faults.length = 0;
  }

  /** Calls of a method and path, such as `POST /api/order`. */
  of(line: string): readonly SentCall[] {
    return this.calls.filter(({ url, request }) => `${request.method} ${url.pathname}` === line);
  }

  readonly fetch = async (address: string, request: FetchRequest): Promise<FetchResponse> => {
    const call = { url: new URL(address), request };
    this.calls.push(call);
    const pass = (): Promise<Response> => serve(this.#service, call);
    const index = this.#faults.findIndex(({ path }) => path === call.url.pathname);
    const struck = this.#faults[index];
    if (struck === undefined) return await pass();
    this.#faults.splice(index, 1, ...(struck.times > 1 ? [{ ...struck, times: struck.times - 1 }] : []));
    return await struck.fault(call, pass);
  };
}

async function serve(service: Service, { url, request }: SentCall): Promise<Response> {
  const { status, headers, body } = await service.handle({
    method: request.method,
    target: `${url.pathname}${url.search}`,
    rawHeaders: Object.entries(request.headers).flat(),
    body: new TextEncoder().encode(request.body ?? ""),
    remoteAddress: "127.0.0.1",
  });
  return new Response(body, { status, headers });
}

/** The reply is lost after the service has handled the call. */
export const replyLost: Fault = async (_call, pass) => {
  await pass();
  throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
};

/** The call never reaches the service. */
export const callLost: Fault = async () => {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8080") });
};

/** A reply that does not come from the service. */
export const answers =
  (body: string | Uint8Array<ArrayBuffer>, init: ResponseInit = {}): Fault =>
  async () =>
    new Response(body, { status: 200, ...init });

/** The reply never comes, until the call is aborted. */
export const silent: Fault = ({ request }) =>
  new Promise((_resolve, reject) => {
    request.signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

/** A service with native orders, and a client of it on the same manual clock. */
export type ClientWorld = NativeWorld & Readonly<{ client: Client; wire: TestWire }>;

/** Creates a client on a wire. Its random numbers are the same in each run. */
export function clientOn(
  world: NativeWorld,
  wire: TestWire,
  options: Partial<ClientOptions> = {},
  key: Credentials = KEYS.owner,
): Client {
  let state = 1;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const { clock } = world;
  return createClient({
    baseUrl: "http://service.test",
    ...key,
    fetch: wire.fetch,
    clock,
    random,
    ...options,
  });
}

/** Opens one. */
export async function openClientWorld(
  options: WorldOptions = {},
  client: Partial<ClientOptions> = {},
): Promise<ClientWorld> {
  const world = await openNativeWorld(options);
  const wire = new TestWire(world.service);
  return { ...world, wire, client: clientOn(world, wire, client) };
}

/** Lets manual time pass until a promise settles, at most `mostMs`; fails if it does not. */
export async function settled<T>(world: NativeWorld, promise: Promise<T>, mostMs = 120_000): Promise<T> {
  let done = false;
  const finish = (): void => {
    done = true;
  };
  promise.then(finish, finish);
  const stepMs = 250;
  for (let passedMs = 0; !done && passedMs < mostMs; passedMs += stepMs) await world.clock.advanceBy(stepMs);
  if (!done) throw new Error(`the promise did not settle within ${mostMs} ms`);
  return await promise;
}
