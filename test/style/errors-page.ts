import { ERRORS, type ErrorName, type ErrorRow } from "../../src/errors/index.ts";

const head = `# Errors

Every error has a stable name, a negative code, an HTTP status and a retry class. On the wire, an error looks like this:
\`{"code": -1121, "msg": "Invalid symbol.", "error": "Invalid symbol. Take the symbol from exchangeInfo."}\`.
\`msg\` is the text; \`error\` is the text followed by the remedy. In code, an error is an \`OrderError\`, and its \`reason\` is
the name. Several errors can share a code; their names differ. Placeholders such as \`{field}\` are filled in.

| retry | meaning |
| --- | --- |
| never | Correct the request first. The service refuses the same request again. |
| later | Nothing was done. You may send the same request again. |
| reconcile | The outcome is unknown. Look the order up by its client id before you send anything again. |

\`npm run docs:update test/style/errors-page\` generates this page from the table in \`src/errors/error-table.ts\`.
`;

const advice = (remedy: string): string =>
  remedy === "{advice}" ? "The reply contains the remedy for the specific case." : remedy;

/** Names that exist in process only, with their meanings. */
const IN_PROCESS: Readonly<Partial<Record<ErrorName, readonly [wire: ErrorName, meaning: string]>>> = {
  SHARD_FENCED: [
    "DISCONNECTED",
    "Another engine has taken over the shard of the account. Send the request to that engine.",
  ],
  SHARD_ELSEWHERE: [
    "DISCONNECTED",
    "Another node of the cluster runs the shard of the account, or will in a moment. Send the request to that node.",
  ],
  ENGINE_CLOSED: ["DISCONNECTED", "The engine was closed before it could answer."],
  ADVANCED_ORDERS_OFF: ["UNSUPPORTED_OPERATION", "The setting advancedOrders or liquidityMode is off."],
  UNKNOWN_ACCOUNT: ["ACCOUNT_DISABLED", "The accounts port does not know the account."],
};

function inProcess(name: string): string {
  const [wire, meaning] = IN_PROCESS[name as ErrorName] ?? [];
  if (wire === undefined) return "";
  return `\nThis name exists only in process. On the wire, the error is [${wire}](#${wire.toLowerCase()}). ${meaning}\n`;
}

const section = ([name, row]: readonly [string, ErrorRow]): string => `## ${name}

Code ${row.code}, HTTP ${row.status}, retry ${row.retry}.
${inProcess(name)}
- Text: ${row.text}
- What to do: ${advice(row.remedy)}
`;

/** The text of docs/errors.md: one section per error, so that every name is an anchor, by code from -1000 down. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).sort(([, a], [, b]) => b.code - a.code);
  return [head, ...rows.map(section)].join("\n");
}
