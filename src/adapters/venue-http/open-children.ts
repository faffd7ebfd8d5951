import type { ChildReport, ChildRequest } from "../../model/index.ts";
import type { Clock, NotFound } from "../../ports/index.ts";
import { isReport } from "./values.ts";

/** Look-ups at a time after events were missed. */
const AT_A_TIME = 8;

/** Pause before a look-up that failed is made again. */
const AGAIN_MS = 1_000;

/** Dependencies of open children. */
export type OpenChildrenParts = Readonly<{
  clock: Clock;
  lookup: (child: ChildRequest) => Promise<ChildReport | NotFound>;
  /** Receives what a look-up says of a child, as if the venue had sent it. */
  report: (report: ChildReport) => void;
}>;

type Entry = {
  readonly child: ChildRequest;
  calls: number;
  isOpen: boolean;
  isOver: boolean;
  isDue: boolean;
};

/**
 * The children that this client knows to be open. When events were missed, each of them is looked up, because the event
 * of its end may be among those. They are as many as the engine has open, so they need no bound of their own.
 */
export class OpenChildren {
  readonly #parts: OpenChildrenParts;
  readonly #entries: Map<string, Entry> = new Map();
  readonly #due: Set<string> = new Set();
  readonly #cancels: Set<() => void> = new Set();
  #looking = 0;
  #isClosed = false;

  constructor(parts: OpenChildrenParts) {
    this.#parts = parts;
  }

  /** Number of look-ups that are due or under way. */
  get looking(): number {
    return this.#looking + this.#due.size + this.#cancels.size;
  }

  /** Makes a call about a child, and remembers the child while it is open. Resolves and rejects as the call does. */
  async during<T extends ChildReport | NotFound | "voided">(
    child: ChildRequest,
    call: Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(child.childId) ?? { ...NEW, child };
    this.#entries.set(child.childId, entry);
    entry.calls++;
    try {
      const answer = await call;
      if (isReport(answer)) this.#note(entry, answer);
      // It can never execute, so that no report of its end will come.
      else if (answer === "voided") [entry.isOpen, entry.isOver] = [false, true];
      return answer;
    } finally {
      entry.calls--;
      this.#settle(entry);
    }
  }

  /** Takes a report that the venue has sent. */
  received(report: ChildReport): void {
    const entry = this.#entries.get(report.childId);
    if (entry === undefined) return;
    this.#note(entry, report);
    this.#settle(entry);
  }

  /** Looks up every child that is open, and each that is asked about now once its answer has come. */
  missed(): void {
    for (const entry of this.#entries.values()) {
      entry.isDue = true;
      this.#settle(entry);
    }
  }

  /** Looks up one child whose report cannot be read. */
  missedOf(childId: string): void {
    const entry = this.#entries.get(childId);
    if (entry === undefined) return;
    entry.isDue = true;
    this.#settle(entry);
  }

  /** Ends all look-ups. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    this.#due.clear();
  }

  #note(entry: Entry, { state }: ChildReport): void {
    // An answer may be older than an event that came before it.
    if (state === "open") entry.isOpen = !entry.isOver;
    else [entry.isOpen, entry.isOver] = [false, true];
  }

  #settle(entry: Entry): void {
    if (entry.calls > 0) return;
    if (!entry.isOpen) {
      this.#entries.delete(entry.child.childId);
      this.#due.delete(entry.child.childId);
    } else if (entry.isDue) {
      entry.isDue = false;
      this.#due.add(entry.child.childId);
      this.#lookNext();
    }
  }

  #lookNext(): void {
    while (!this.#isClosed && this.#looking < AT_A_TIME) {
      const [childId] = this.#due;
      if (childId === undefined) return;
      this.#due.delete(childId);
      const entry = this.#entries.get(childId);
      if (entry !== undefined) void this.#look(entry);
    }
  }

  async #look(entry: Entry): Promise<void> {
    this.#looking++;
    try {
      const answer = await this.#parts.lookup(entry.child);
      if (isReport(answer) && !this.#isClosed) {
        this.#parts.report(answer);
        this.received(answer);
      }
    } catch {
      // A venue that cannot say is asked again: the end of the child may have been missed.
      this.#later(entry);
    } finally {
      this.#looking--;
      this.#lookNext();
    }
  }

  #later(entry: Entry): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    const cancel = clock.schedule(clock.monotonicMs() + AGAIN_MS, () => {
      this.#cancels.delete(cancel);
      entry.isDue = true;
      if (this.#entries.get(entry.child.childId) === entry) this.#settle(entry);
    });
    this.#cancels.add(cancel);
  }
}

const NEW = { calls: 0, isOpen: false, isOver: false, isDue: false };
