import type { Random } from "../../../src/common/random.ts";
import { OrderError } from "../../../src/errors/index.ts";
import { shardOf } from "../../../src/lifecycle/index.ts";
import { findMethod, type OrderFields } from "../../../src/requests/index.ts";
import { managedOrderView } from "../../../src/service/index.ts";
import type { JsonValue, WireRequest } from "../../../src/wire/index.ts";
import { keyOf } from "../hosts.ts";
import type { Instance } from "../instance.ts";
import type { WorldParts } from "../parts.ts";
import type { ClientPlan } from "../plan.ts";
import { Connection } from "./connection.ts";
import { StreamReader } from "./stream-reader.ts";
import {
  type ClientRequest,
  type Credentials,
  codeOf,
  type NoReply,
  type Reply,
  readReply,
  signedMessage,
  signedRequest,
} from "./wire.ts";

/** Code of a node that stored nothing, such as one that does not own the shard of the account. */
const NOTHING_STORED = -1001;

/** An answer, and the process that gave it. */
export type InstanceReply = Readonly<{ instance: Instance; reply: Reply }>;

/** A client's transport to the service: requests over REST, messages and the private stream over WebSocket. */
export class Transport {
  readonly accountId: number;
  readonly #parts: WorldParts;
  readonly #plan: ClientPlan;
  readonly #random: Random;
  readonly #key: Credentials;
  #connection: Connection | undefined;
  stream: StreamReader | undefined;
  #nonces = 0;
  #breaks = 0;

  constructor(parts: WorldParts, plan: ClientPlan, random: Random) {
    this.accountId = plan.accountId;
    this.#parts = parts;
    this.#plan = plan;
    this.#random = random;
    this.#key = keyOf(plan.accountId);
  }

  /** Sends a request over REST or WebSocket. */
  async ask(request: ClientRequest): Promise<InstanceReply | NoReply> {
    const bySocket = this.#random.chance(0.3) && findMethod(request.method) !== undefined;
    if (bySocket && this.#connection?.open) return await this.#askSocket(this.#connection, request);
    return await this.send(this.signed(request));
  }

  /** Returns a request that can be sent any number of times. */
  signed(request: ClientRequest): WireRequest {
    return signedRequest(request, {
      key: this.#key,
      nonce: `${this.accountId}-${++this.#nonces}`,
      timestamp: this.#parts.time.wallMs,
      address: "127.0.0.1",
    });
  }

  /**
   * Sends a request unchanged. If the first node of a cluster stored nothing, another one is mostly
   * asked.
   */
  async send(request: WireRequest): Promise<InstanceReply | NoReply> {
    const answer = await this.#sendOnce(request);
    if (this.#parts.plan.cluster === undefined || typeof answer === "string") return answer;
    if (codeOf(answer.reply) !== NOTHING_STORED || !this.#random.chance(0.8)) return answer;
    this.#parts.situations.observe("another node asked after one that stored nothing");
    return await this.#sendOnce(request);
  }

  async #sendOnce(request: WireRequest): Promise<InstanceReply | NoReply> {
    const instance = this.#parts.fleet.pick(this.#random, this.accountId);
    const isLost = this.#parts.faults.strikes("answers are lost", this.#random, 0.08);
    if (instance?.service === undefined) return "down";
    const reply = await this.#exchange(instance, request);
    if (reply === "lost" || isLost) return "lost";
    return { instance, reply };
  }

  /** Places an order in process, as the host itself may. */
  async placeInside(order: OrderFields): Promise<InstanceReply | NoReply> {
    const instance = this.#parts.fleet.servingAccount(this.accountId);
    const { engine } = instance ?? {};
    if (instance === undefined || engine === undefined) return "down";
    const reply = await new Promise<Reply | "lost">((resolve) => {
      const offDeath = instance.onDeath(() => resolve("lost"));
      engine
        .place({ accountId: this.accountId, order })
        .then(
          (placed) => resolve({ status: 200, body: managedOrderView(placed.order) as JsonValue }),
          (error: unknown) => resolve(refusalReply(error)),
        )
        .finally(offDeath);
    });
    return reply === "lost" ? reply : { instance, reply };
  }

  #exchange(instance: Instance, request: WireRequest): Promise<Reply | "lost"> {
    const { requireThat } = this.#parts;
    return new Promise((resolve) => {
      const offDeath = instance.onDeath(() => resolve("lost"));
      instance.enter(() => {
        instance.service?.handle(request).then(
          ({ status, body }) => {
            offDeath();
            requireThat(!body.includes("secret-"), "I72", body);
            resolve(readReply(status, body));
          },
          (error: unknown) => requireThat(false, "every request is answered", () => String(error)),
        );
      });
    });
  }

  async #askSocket(connection: Connection, request: ClientRequest): Promise<InstanceReply | NoReply> {
    const count = ++this.#nonces;
    const id = `m${count}`;
    const text = signedMessage(request, {
      key: this.#key,
      id,
      timestamp: this.#parts.time.wallMs,
      recvWindow: 1_000 + (count % 4_000),
    });
    const reply = await connection.ask(id, text);
    return typeof reply === "string" ? reply : { instance: connection.instance, reply };
  }

  /** Maintains the connection as the client wants it: opens it, breaks it, subscribes, stops reading. */
  tend(): void {
    const { faults, fleet, beside } = this.#parts;
    const breaks = faults.strikes("connection breaks", this.#random, 0.1);
    const slows = faults.strikes("reader is slow", this.#random, 0.15);
    if (this.#connection?.open) {
      if (breaks || !this.#isWithOwner(this.#connection)) this.#connection.break();
      else if (slows) this.#connection.slow = true;
      return;
    }
    const instance = fleet.servingAccount(this.accountId);
    if (instance === undefined || !this.#plan.streams) return;
    const connection = new Connection(this.#parts, instance, {
      event: (event) => this.stream?.take(event),
      ended: () => {
        this.#breaks++;
        this.stream?.end();
      },
    });
    this.#connection = connection;
    this.stream = undefined;
    beside(this.#subscribe(connection));
  }

  /** Whether a connection is still with the owner of the account's shard, in a cluster. */
  #isWithOwner({ instance }: Connection): boolean {
    const { plan } = this.#parts;
    return plan.cluster === undefined || instance.holdings.owns(shardOf(this.accountId));
  }

  async #subscribe(connection: Connection): Promise<void> {
    const request = { method: "userDataStream.subscribe.signature", fields: {} };
    const id = `s${++this.#nonces}`;
    const text = signedMessage(request, {
      key: this.#key,
      id,
      timestamp: this.#parts.time.wallMs,
      recvWindow: 1_000 + (this.#nonces % 4_000),
    });
    const stream = new StreamReader(this.#parts, this.accountId, connection);
    this.stream = stream;
    const reply = await connection.ask(id, text);
    if (typeof reply === "string" || reply.status !== 200) {
      if (this.stream === stream) this.stream = undefined;
      return connection.break();
    }
    stream.begin(reply.body);
    if (this.#breaks > 0) this.#parts.situations.observe("stream subscribed again after a break");
  }
}

/** Converts an in-process refusal to the form in which a client of the service receives it. */
function refusalReply(error: unknown): Reply {
  if (!(error instanceof OrderError)) return { status: 500, body: { code: -1000, msg: String(error) } };
  return { status: error.status, body: { code: error.code, msg: error.msg } };
}
