/** Each code of an error answer: its status, and its text for people. */
export const REFUSALS = {
  BAD_REQUEST: [400, "The request cannot be read."],
  BAD_SIGNATURE: [401, "The signature is missing or wrong."],
  STALE: [
    401,
    "The time of the signature is too far from the server's time, which the header x-venue-time has.",
  ],
  NOT_FOUND: [404, "There is no such path."],
  NO_SUCH_PART: [404, "This server does not have this part."],
  WRONG_METHOD: [405, "The path exists with another method."],
  SLOW_BODY: [408, "The body did not arrive in time."],
  CHILD_DIFFERS: [409, "Another child was submitted with this id."],
  OUTCOME_UNKNOWN: [409, "The id was submitted before, and what became of it is not known. Look it up."],
  SIGNED_EARLIER: [409, "The submit was signed before this server started, and may be a copy. Look it up."],
  HISTORY_GONE: [410, "Events after this number are gone. Begin anew, and look up what is open."],
  TOO_LARGE: [413, "The body is too large."],
  FAILED: [500, "The venue failed. The outcome of a change is unknown."],
  BUSY: [503, "Too many requests or streams are open."],
  CLOSING: [503, "The server is closing."],
  NO_ANSWER: [504, "The venue did not answer in time. The outcome of a change is unknown."],
} as const;

/** Code of an error answer. */
export type RefusalCode = keyof typeof REFUSALS;

/** An error answer of a server. It never says what the venue said. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, detail = "") {
    super(detail === "" ? REFUSALS[code][1] : `${REFUSALS[code][1]} ${detail}`);
    this.code = code;
  }

  /** The HTTP status. */
  get status(): number {
    return REFUSALS[this.code][0];
  }
}
