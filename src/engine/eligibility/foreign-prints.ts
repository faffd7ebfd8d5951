import { add, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import { Fifo } from "../core/fifo.ts";

/** Most prints of one market that may be undecided. The oldest count as foreign from then on. */
const MOST_DOUBTFUL = 4_096;

type OpenChild = Readonly<{
  childId: string;
  quantity: Quantity;
  position: number;
}>;

/** Whether an id is that of an execution of this engine, and how long a print may be undecided. */
export type PrintNames = Readonly<{
  isOwn: (id: string) => boolean;
  doubtMs: number;
}>;

/**
 * The fresh prints of one market in the order in which they are told, and which of them are foreign: of other participants. A
 * print that comes while a child is out may be of that child, whose execution id is not known yet: it is undecided until each
 * child is resolved whose intent was durable before it.
 */
export class ForeignPrints {
  readonly #names: PrintNames;
  /** Children that are out, by parent, with the number of prints before them. */
  readonly #open: Map<number, OpenChild> = new Map();
  readonly #doubtful: Fifo<Readonly<{ id: string; position: number; atMs: number }>> = new Fifo();
  #position = 0;
  #newest = 0;
  #openQuantity = ZERO_QUANTITY;

  constructor(names: PrintNames) {
    this.#names = names;
  }

  /** The number of prints. */
  get position(): number {
    return this.#position;
  }

  /** The number of the newest print that is foreign. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the newest print that is undecided. */
  get newestDoubtful(): number {
    return this.#doubtful.last?.position ?? 0;
  }

  /** What the children ask for that are out. */
  get openQuantity(): Quantity {
    return this.#openQuantity;
  }

  /** Adds a print at a time, by the monotonic clock. */
  add(id: string, atMs: number): void {
    this.#position++;
    this.#doubtful.push({ id, position: this.#position, atMs });
    this.#decide(atMs);
  }

  /** Notes the child of a parent that is out, or that it has none. Returns whether undecided prints may be decided now. */
  track({ orderId, child }: Pick<ParentOrder, "orderId" | "child">, atMs: number): boolean {
    const before = this.#open.get(orderId);
    if (before?.childId === child?.childId) return false;
    const oldest = this.#oldest;
    if (before !== undefined) this.#openQuantity = subtract(this.#openQuantity, before.quantity);
    this.#open.delete(orderId);
    if (child !== undefined) {
      const { childId, quantity } = child;
      this.#open.set(orderId, { childId, quantity, position: this.#position });
      this.#openQuantity = add(this.#openQuantity, quantity);
    }
    if (before === undefined || this.#oldest === oldest) return false;
    this.#decide(atMs);
    return true;
  }

  /** The number of prints before the oldest child that is out. */
  get #oldest(): number {
    for (const { position } of this.#open.values()) return position;
    return Number.POSITIVE_INFINITY;
  }

  #decide(nowMs: number): void {
    const oldest = this.#oldest;
    const { isOwn, doubtMs } = this.#names;
    for (let { first } = this.#doubtful; first !== undefined; { first } = this.#doubtful) {
      const isOld = nowMs - first.atMs >= doubtMs || this.#doubtful.size > MOST_DOUBTFUL;
      if (first.position > oldest && !isOld) return;
      this.#doubtful.shift();
      if (!isOwn(first.id)) this.#newest = first.position;
    }
  }
}
