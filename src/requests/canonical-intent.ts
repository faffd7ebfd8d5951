import type { ListIntent, ParentIntent } from "../model/index.ts";
import { INTENT_MEMBERS, type IntentMember } from "./order-fields.ts";

const MEMBERS = (Object.keys(INTENT_MEMBERS) as (keyof ParentIntent)[]).filter(
  (member) => INTENT_MEMBERS[member].isName !== true,
);

function memberText<K extends keyof ParentIntent>(intent: ParentIntent, member: K): unknown {
  const value = intent[member];
  if (value === undefined) return null;
  const { text } = INTENT_MEMBERS[member] as IntentMember<typeof value>;
  return text === undefined ? value : text(value);
}

/**
 * Returns the canonical text of an intent. Two placements have the same text if and only if they ask for the same
 * order, whatever aliases, defaults and decimal spellings they use. The client id is not part of it. Source: decision
 * 1.
 */
export function canonicalIntent(intent: ParentIntent): string {
  return JSON.stringify(MEMBERS.map((member) => memberText(intent, member)));
}

/**
 * Returns the canonical text of a list's intent. Two lists have the same text if and only if they ask for the same
 * orders in the same roles. The contingency and the position of a leg determine its role. A leg's client id is part of
 * the text if the caller gave it; the list's own id is not. Source: decision 1.
 */
export function canonicalList({ contingency, legs }: Pick<ListIntent, "contingency" | "legs">): string {
  return JSON.stringify([
    contingency,
    legs.map(({ intent, generatedClientId }) => [
      canonicalIntent(intent),
      generatedClientId ? null : intent.clientOrderId,
    ]),
  ]);
}
