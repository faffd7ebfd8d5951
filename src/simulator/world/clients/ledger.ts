import type { RequestParameters } from "../../../signing/index.ts";

/** What a client wants placed under one client id. */
export type Intent = Readonly<{
  kind: "order" | "list";
  accountId: number;
  clientId: string;
  symbol: string;
  path: string;
  method: string;
  fields: RequestParameters;
}>;

/** What a client knows of one intent. */
export type Entry = {
  readonly intent: Intent;
  /** Requests that were sent and not answered yet. */
  waiting: number;
  /** Requests whose outcome nobody told. */
  unsure: number;
  /** The id that it was answered with. */
  created: number | undefined;
  refused: number;
  sentAtMs: number;
};

/** What the clients of a world have sent and were told; nothing else is in it. */
export class Ledger {
  readonly entries: Map<string, Entry> = new Map();
  readonly created: Entry[] = [];
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

  /** Whether something may have been kept for an intent, as far as its client can know. */
  mayExist({ waiting, unsure, created }: Entry): boolean {
    return waiting > 0 || unsure > 0 || created !== undefined;
  }
}

const keyOf = (accountId: number, clientId: string): string => `${accountId} ${clientId}`;
