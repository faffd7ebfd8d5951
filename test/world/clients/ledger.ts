import type { RequestParameters } from "../../../src/signing/index.ts";

/** The order or list that a client wants placed under one client id. */
export type Intent = Readonly<{
  kind: "order" | "list";
  accountId: number;
  clientId: string;
  symbol: string;
  path: string;
  method: string;
  fields: RequestParameters;
}>;

/** A client's knowledge of one intent. */
export type Entry = {
  readonly intent: Intent;
  /** Number of requests that were sent and not answered yet. */
  waiting: number;
  /** Number of requests whose outcome is unknown. */
  unsure: number;
  /** The id in the answer. */
  created: number | undefined;
  refused: number;
  sentAtMs: number;
};

/** The amends of an order that a process has acknowledged, and the newest quote that it had counted then. */
export type Acknowledged = Readonly<{ amends: number; generation: number; quote: number }>;

/** Everything that the clients of a world have sent and were answered, and nothing else. */
export class Ledger {
  readonly entries: Map<string, Entry> = new Map();
  readonly created: Entry[] = [];
  /** The last acknowledged amend of each order. */
  readonly amended: Map<number, Acknowledged> = new Map();
  sent = 0;
  answered = 0;

  open(intent: Intent, nowMs: number): Entry {
    const key = keyOf(intent.accountId, intent.clientId);
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { intent, waiting: 0, unsure: 0, created: undefined, refused: 0, sentAtMs: nowMs };
    this.entries.set(key, entry);
    return entry;
  }

  find(accountId: number, clientId: string): Entry | undefined {
    return this.entries.get(keyOf(accountId, clientId));
  }

  /** Returns whether an order may exist for an intent, as far as its client can know. */
  mayExist({ waiting, unsure, created }: Entry): boolean {
    return waiting > 0 || unsure > 0 || created !== undefined;
  }
}

const keyOf = (accountId: number, clientId: string): string => `${accountId} ${clientId}`;
