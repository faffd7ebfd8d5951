import { createConsoleTelemetry } from "../adapters/node/index.ts";
import { PostgresStoreError, UnknownOutcome } from "../adapters/postgres/internal.ts";
import { errorMessage, fileProblem } from "../common/index.ts";
import { InvariantError } from "../errors/index.ts";
import { VenueRecordError } from "../paper-exchange/index.ts";
import type { Telemetry } from "../ports/index.ts";
import { SettingsError } from "./input.ts";

/** Further codes of problems that the operator can fix, such as a port or a store in use. */
const OTHERS: readonly string[] = [
  "DRIVER_MISSING",
  "EADDRINUSE",
  "EADDRNOTAVAIL",
  "EBUSY",
  "EEXIST",
  "EIO",
  "ENOTFOUND",
  "STORE_FILE",
  "SQLITE_NOTADB",
  "SQLITE_CORRUPT",
];

/** Returns text without line breaks and other characters that a terminal obeys: it may quote a store or a venue. */
const inOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");

/** Returns the reason why a process could not start, on one line. */
export function startProblem(error: unknown): string {
  const message = errorMessage(error);
  const code = codeOf(error);
  const why = / listen /.test(message) ? undefined : fileProblem(code);
  // A message that names the code has words of its own, for what was to be done with the file.
  const isMentioned = why === undefined || message.includes(why) || message.includes(`(${code})`);
  return `${inOneLine(message)}${isMentioned ? "" : `: ${why}`}`;
}

/** Returns whether the operator can fix a problem: a setting, a port, a file, a damaged record. */
export function isForOperator(error: unknown): boolean {
  if (error instanceof SettingsError || error instanceof VenueRecordError) return true;
  if (error instanceof InvariantError) return true;
  if (error instanceof PostgresStoreError || error instanceof UnknownOutcome) return true;
  const code = codeOf(error);
  return fileProblem(code) !== undefined || OTHERS.some((known) => code.startsWith(known));
}

/**
 * Returns the telemetry of a process on standard error. Failure and recovery of the store and of the venue's record are
 * one sentence each, and the single failures behind these sentences are not reported. Other events are log lines from
 * `warn` on: what strangers and nodes were refused is among them.
 */
export const processTelemetry = (): Telemetry =>
  inPlainWords(createConsoleTelemetry({ level: "warn" }), (sentence) =>
    process.stderr.write(`managed-orders: ${inOneLine(sentence)}\n`),
  );

function inPlainWords(others: Telemetry, print: (sentence: string) => void): Telemetry {
  return {
    event(level, event, fields) {
      const sentence = sentenceOf(event, fields);
      if (sentence !== undefined) print(sentence);
      else if (!isPartOf(level, event)) others.event(level, event, fields);
    },
  };
}

const SINGLE_FAILURES: ReadonlySet<string> = new Set(["append.failed", "reload.failed"]);
/** Whether an event is told by another: by a sentence, or by the reply to a request and the failure behind it. */
const isPartOf = (level: string, event: string): boolean =>
  SINGLE_FAILURES.has(event) || OF_VENUE.has(event) || (level === "warn" && OF_REQUESTS.has(event));

const OF_REQUESTS: ReadonlySet<string> = new Set(["request.failed", "host.failed"]);
const REFUSED = "requests that cannot be stored are refused until it recovers";

function sentenceOf(event: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  if (event === "venue-record.failed") {
    const code = String(fields["code"]);
    return `the venue's record cannot be written (${fileProblem(code) ?? code}): ${REFUSED}`;
  }
  if (event === "venue-record.recovered") return "the venue's record can be written again";
  if (isOfVenue(event, fields)) return sentenceOfVenue(event, fields);
  if (event !== "engine.status") return undefined;
  if (fields["change"] === "DISK_FULL") return `the store cannot be written (the disk is full): ${REFUSED}`;
  if (fields["change"] === "STORE_FAILING") {
    return `the store cannot be written or read (${String(fields["detail"])}): ${REFUSED}`;
  }
  return fields["change"] === "STORE_RECOVERED" ? "the store can be written again" : undefined;
}

const OF_VENUE: ReadonlySet<string> = new Set(["venue-http.down", "venue-http.up"]);

/** The stream of reports stands for the others, which break with it. */
const isOfVenue = (event: string, { stream }: Readonly<Record<string, unknown>>): boolean =>
  stream === "events" && OF_VENUE.has(event);

const sentenceOfVenue = (event: string, { problem }: Readonly<Record<string, unknown>>): string =>
  event === "venue-http.up"
    ? "the venue answers again"
    : `the connection to the venue is broken (${String(problem)}): children wait until it answers again`;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
