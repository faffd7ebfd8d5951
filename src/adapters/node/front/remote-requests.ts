import { type Worked, workRequest } from "../../../service/internal.ts";
import type { WireRequest, WireResponse } from "../../../wire/index.ts";
import { Evicted } from "../refusals.ts";
import type { Batch } from "./batch.ts";
import type { ToMain, WorkText } from "./messages.ts";
import type { Secrets } from "./secrets.ts";
import { joinHead, joinParameters, splitHeaders, textOfBytes } from "./texts.ts";

type Waiting = Readonly<{
  resolve: (reply: WireResponse | undefined) => void;
  reject: (error: Error) => void;
}>;

/** Returns the results of a front thread in the form in which they are sent. */
export function workText({ apiKey, signature, parameters, envelope }: Worked, secrets: Secrets): WorkText {
  const work = [secrets.numberOf(apiKey), signature, joinParameters(parameters)] as const;
  return envelope === undefined ? work : [...work, envelope.id, envelope.method];
}

/** Sends requests to the service on the main thread and resolves with the answers. */
export class RemoteRequests {
  readonly #batch: Batch<ToMain>;
  readonly #secrets: Secrets;
  readonly #waiting: Map<number, Waiting> = new Map();
  #count = 0;

  constructor(batch: Batch<ToMain>, secrets: Secrets) {
    this.#batch = batch;
    this.#secrets = secrets;
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    const { method, target, rawHeaders, body, remoteAddress } = request;
    const worked = workRequest(request, (apiKey) => this.#secrets.secretOf(apiKey));
    const work = worked && workText(worked, this.#secrets);
    const reply = await this.#requested((id) => {
      const [head, text] = [joinHead(rawHeaders), textOfBytes(body)];
      return ["request", id, method, target, head, text, remoteAddress, work];
    });
    if (reply === undefined) throw new RangeError("a request was admitted");
    return reply;
  }

  admit({ method, target, rawHeaders, remoteAddress }: WireRequest): Promise<WireResponse | undefined> {
    return this.#requested((id) => ["admit", id, method, target, joinHead(rawHeaders), remoteAddress]);
  }

  replied(id: number, status: number, head: string, body: string): void {
    this.#take(id)?.resolve({ status, headers: splitHeaders(head), body });
  }

  admitted(id: number): void {
    this.#take(id)?.resolve(undefined);
  }

  threw(id: number, name: string): void {
    this.#take(id)?.reject(Object.assign(new Error("the service threw"), { name }));
  }

  cut(id: number): void {
    this.#take(id)?.reject(new Evicted());
  }

  #requested(messageOf: (id: number) => ToMain): Promise<WireResponse | undefined> {
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      this.#waiting.set(id, { resolve, reject });
      this.#batch.add(messageOf(id));
    });
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
