import type { NativeExecution, NativeOrder } from "../../src/model/index.ts";
import type { Awaitable, NativeOrders, NativePlaced } from "../../src/ports/index.ts";
import type { Instance } from "./instance.ts";
import { type BookParts, NativeBook } from "./native-book.ts";
import { type AnswerParts, PortAnswers, type PortFaults } from "./port-answers.ts";
import type { Situations } from "./situations.ts";

const FAULTS: PortFaults = {
  slow: "native orders are slow",
  silent: "native orders are silent",
  throws: "native orders throw",
  nonsense: "native orders are nonsense",
  oftener: 4,
};

type Listener = Readonly<{ instance: Instance; receive: (execution: NativeExecution) => void }>;

/** Dependencies of the host's native orders. */
export type NativeParts = AnswerParts &
  Readonly<{ situations: Situations; priceOf: BookParts["priceOf"] }> &
  Readonly<{ traded: (execution: NativeExecution) => void }>;

/** The native orders of the host: a book that is the truth, and a port with faulty answers. */
export class WorldNative {
  readonly book: NativeBook;
  readonly #parts: NativeParts;
  readonly #answers: PortAnswers;
  readonly #listeners: Set<Listener> = new Set();

  constructor(parts: NativeParts) {
    this.#parts = parts;
    this.#answers = new PortAnswers(parts);
    this.book = new NativeBook({
      random: parts.random.of("book"),
      nowMs: () => parts.time.trueMs,
      priceOf: parts.priceOf,
      reported: (execution) => this.#reported(execution),
    });
  }

  /** Returns the port for a process. */
  open(instance: Instance): NativeOrders {
    const { book } = this;
    const ask = <T>(right: () => T, wrong: (answer: T) => unknown): Awaitable<T> =>
      this.#answers.answer(instance, FAULTS, { right, wrong: () => wrong(right()) });
    return {
      isPaperTrade: true,
      place: (placement) =>
        this.#change(
          instance,
          () => book.place(placement),
          (answer) => this.#spoilPlaced(answer),
        ),
      cancel: (key) =>
        this.#change(
          instance,
          () => book.cancel(key),
          (answer) => this.#spoil(answer),
        ),
      findRequest: (request) =>
        ask(
          () => book.request(request),
          (answer) => (answer === undefined ? {} : this.#spoilPlaced(answer)),
        ),
      find: (key) =>
        ask(
          () => book.find(key),
          (answer) => this.#spoil(answer),
        ),
      page: (page) =>
        ask(
          () => book.page(page),
          (answer) => [...answer, {}],
        ),
      executions: (query) =>
        ask(
          () => book.history(query),
          (answer) => [...answer, null],
        ),
      subscribe: (receive) => {
        const listener = { instance, receive };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  /** Removes the listeners of a process that died. */
  forget(instance: Instance): void {
    for (const one of this.#listeners) if (one.instance === instance) this.#listeners.delete(one);
  }

  /** Changes the book. The change may be durable even if the caller gets no answer. */
  async #change<T>(instance: Instance, change: () => T, spoil: (answer: T) => unknown): Promise<T> {
    const { faults, random, situations } = this.#parts;
    const answer = await this.#answers.answer(instance, FAULTS, {
      right: change,
      wrong: () => spoil(change()),
    });
    if (!faults.strikes("native orders lose an answer", random, 0.08)) return answer;
    situations.observe("answer of a native order lost");
    return await (random.chance(0.5)
      ? new Promise<never>(() => undefined)
      : Promise.reject(new Error("connection reset")));
  }

  #spoilPlaced({ order, fills, created }: NativePlaced): unknown {
    return this.#parts.random.pick<unknown>([
      undefined,
      {},
      { order: this.#spoil(order), fills, created },
      { order, fills: [{}], created },
      { order, fills, created: "yes" },
    ]);
  }

  /** Returns values that cannot be read as an order of the requesting account. */
  #spoil(order: NativeOrder | undefined): unknown {
    if (order === undefined) return null;
    return this.#parts.random.pick<unknown>([
      null,
      { ...order, orderId: String(order.orderId) },
      { ...order, orderId: -order.orderId },
      { ...order, accountId: order.accountId + 1 },
      { ...order, status: "DONE" },
      { ...order, quantity: Number.NaN },
      { ...order, executedQuantity: "1" },
    ]);
  }

  #reported(execution: NativeExecution): void {
    const { faults, random } = this.#parts;
    if (execution.execType === "TRADE") this.#parts.traded(execution);
    const isNonsense = faults.strikes("native orders are nonsense", random, 0.02);
    const unreadable = random.pick<unknown>([
      null,
      { ...execution, executionId: "" },
      { ...execution, order: {} },
    ]);
    for (const { instance, receive } of [...this.#listeners]) {
      if (isNonsense) instance.enter(() => receive(unreadable as NativeExecution));
      instance.enter(() => receive(execution));
    }
  }
}
