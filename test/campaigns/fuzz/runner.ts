import { createRandom, type Random } from "../../../src/common/random.ts";
import { closeProblems, leaksOf, messageProblems, replyProblems, streamProblems } from "./checks.ts";
import type { DraftRequest } from "./draft.ts";
import { OPCODE, rawFrame } from "./frames.ts";
import { askAlone, HttpLane, type HttpReply, readReplies } from "./http-lane.ts";
import { signersOf, signersOfMessage } from "./judge.ts";
import { KnownOrders } from "./known-orders.ts";
import { type Exchange, Ledger, routeOfBytes, routeOfMessage } from "./ledger.ts";
import {
  frameMutant,
  type HandshakeCase,
  handshakeMutant,
  type MessageCase,
  signedMessageMutant,
  streamCase,
  unsignedMessageMutant,
  validMessageCase,
} from "./message-cases.ts";
import {
  byteMutant,
  forged,
  type Making,
  type RestCase,
  randomBytes,
  replayable,
  replayed,
  signedMutant,
  unsignedMutant,
} from "./rest-cases.ts";
import { handshake, isReply, readFrames, SocketLane, type SocketOutcome } from "./socket-lane.ts";
import { Tally } from "./tally.ts";

type Case = RestCase | MessageCase | HandshakeCase;
type Maker = (making: Making) => Case;

/** How a fuzz run ended a case that broke a rule. */
export type Failure = Readonly<{ index: number; kind: string; problems: readonly string[]; bytes: string }>;

/** Connections over which the cases of a run go. */
type Lanes = Readonly<{ http: HttpLane; private: SocketLane; liquidity: SocketLane }>;

/** How often each kind of case is made. */
const MIX: readonly (readonly [share: number, make: Maker])[] = [
  [22, signedMutant],
  [11, unsignedMutant],
  [6, forged],
  [6, byteMutant],
  [3, randomBytes],
  [10, validMessageCase],
  [12, signedMessageMutant],
  [6, unsignedMessageMutant],
  [2, frameMutant],
  [4, streamCase],
  [1, handshakeMutant],
];

/** Accepted requests that may be replayed as others: fewer than the guard remembers. */
const REPLAYABLE = 200;

/** The name under which a case is counted. */
const nameOf = ({ transport, kind }: Case): string => (transport === "rest" ? kind : `${kind} (WebSocket)`);

/** A readable form of a case: a message before it was masked, else its bytes. */
const shownOf = (made: Case): string => ("text" in made ? made.text : "") || made.bytes.toString("latin1");

/** The id that a message must be answered with, as JSON text; undefined if it has none or is not JSON. */
function idOf(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return /^{"id":("[ !#-[\]-~]{1,36}"|[0-9]+),"method":"[^"]*","params":[^"]/.exec(text)?.[1];
}

/**
 * Runs cases against a server and keeps the ledger. A case depends only on the seed and its index, except for the ids
 * in answers.
 */
export class Runner {
  readonly kinds: Tally = new Tally();
  readonly statuses: Tally = new Tally();
  readonly codes: Tally = new Tally();
  readonly successes: Tally = new Tally();
  readonly closes: Tally = new Tally();
  readonly failures: Failure[] = [];
  readonly ledger: Ledger = new Ledger();
  events = 0;
  readonly #port: number;
  readonly #seed: number;
  readonly #known: KnownOrders = new KnownOrders();
  readonly #accepted: DraftRequest[] = [];
  readonly #lanes: readonly Lanes[];
  #next = 0;

  constructor({ port, seed, lanes }: Readonly<{ port: number; seed: number; lanes: number }>) {
    this.#port = port;
    this.#seed = seed;
    this.#lanes = Array.from({ length: lanes }, (_, index) => this.#openLanes(index));
  }

  /** Requests and messages that were sent so far. */
  get sent(): number {
    return this.#next;
  }

  /** Runs a number of further cases, on all lanes at once; resolves when every one was answered. */
  async run(count: number): Promise<void> {
    const end = this.#next + count;
    const work = async (lanes: Lanes): Promise<void> => {
      while (this.#next < end && this.failures.length < 10) await this.#one(this.#next++, lanes);
    };
    await Promise.all(this.#lanes.map(work));
  }

  close(): void {
    for (const lanes of this.#lanes) {
      lanes.http.close();
      lanes.private.close();
      lanes.liquidity.close();
    }
  }

  #openLanes(index: number): Lanes {
    const random = createRandom(this.#seed + index);
    const address = (): string => `10.8.${random.below(250)}.${random.below(250)}`;
    const onEvent = (text: string): void => {
      this.events++;
      const leaks = leaksOf(text);
      if (leaks.length > 0) this.#fail({ index: -1, kind: "event", problems: leaks, bytes: text });
    };
    const socket = (path: string): SocketLane => new SocketLane(this.#port, { path, address, onEvent });
    const path = index % 3 === 0 ? "/ws-api/v3" : "/ws/listenKey";
    return { http: new HttpLane(this.#port), private: socket(path), liquidity: socket("/ws/liquidity") };
  }

  async #one(index: number, lanes: Lanes): Promise<void> {
    const random = createRandom(Math.imul(this.#seed, 1_000_003) + index);
    const making = { random, index, run: `f${this.#seed}`, known: this.#known, nowMs: Date.now() };
    const { made, request } = this.#make(making);
    const key = nameOf(made);
    this.kinds.add(key);
    try {
      const problems = await this.#send(made, { lanes, random, request });
      if (problems.length > 0) this.#fail({ index, kind: key, problems, bytes: shownOf(made) });
    } catch (error) {
      const problems = [error instanceof Error ? error.message : String(error)];
      this.#fail({ index, kind: key, problems, bytes: shownOf(made) });
      lanes.private.close();
      lanes.liquidity.close();
      lanes.http.close();
    }
  }

  #make(making: Making): Readonly<{ made: Case; request?: DraftRequest }> {
    const { random } = making;
    let at = random.below(100);
    for (const [share, make] of MIX) {
      if (at < share) return { made: make(making) };
      at -= share;
    }
    const before = random.below(5) === 0 ? this.#accepted[random.below(this.#accepted.length)] : undefined;
    if (before !== undefined) return { made: replayed(before, making) };
    const { request, as } = replayable(making);
    return { made: as, request };
  }

  #fail(failure: Failure): void {
    this.failures.push({ ...failure, bytes: failure.bytes.slice(0, 2_000) });
  }

  async #send(
    made: Case,
    on: Readonly<{ lanes: Lanes; random: Random; request: DraftRequest | undefined }>,
  ): Promise<readonly string[]> {
    switch (made.transport) {
      case "rest":
        return await this.#sendRest(made, on);
      case "handshake":
        return this.#takeReplies(made, await askAlone(this.#port, made.bytes, { halfCloses: true }));
      default:
        return made.alone ? await this.#sendFrames(made, on.random) : await this.#sendMessage(made, on);
    }
  }

  async #sendRest(
    made: RestCase,
    { lanes, random, request }: Readonly<{ lanes: Lanes; random: Random; request: DraftRequest | undefined }>,
  ): Promise<readonly string[]> {
    if (made.alone) {
      const halfCloses = random.below(100) > 0;
      return this.#takeReplies(made, await askAlone(this.#port, made.bytes, { halfCloses }));
    }
    const reply = await lanes.http.ask(made.bytes);
    if (reply?.status === 200) {
      if (request !== undefined && request.place !== "nowhere") this.#remember(request);
      if (made.kind === "replayed elsewhere") return ["a replayed signature was taken"];
    }
    return this.#takeReply(made, reply);
  }

  #remember(request: DraftRequest): void {
    this.#accepted.push(request);
    if (this.#accepted.length > REPLAYABLE) this.#accepted.shift();
  }

  #takeReplies(made: RestCase | HandshakeCase, received: Buffer): readonly string[] {
    const replies = readReplies(received, made.bytes);
    if (replies.length === 0) return this.#takeReply(made, undefined);
    return replies.flatMap((reply) => this.#takeReply(made, reply));
  }

  #takeReply(made: RestCase | HandshakeCase, reply: HttpReply | undefined): readonly string[] {
    const signers = signersOf(made.bytes);
    const route = routeOfBytes(made.bytes);
    const outcome =
      reply === undefined ? "lost" : reply.status === 200 ? { success: reply.body } : ("refused" as const);
    const problems = this.#book({ route, signers, outcome });
    this.statuses.add(reply === undefined ? "no answer" : String(reply.status));
    if (reply?.status === 200) this.successes.add(nameOf(made));
    if (reply === undefined) return problems;
    this.#countCode(/^{"code":(-[0-9]+)/.exec(reply.body)?.[1]);
    const bodiless = made.bytes.subarray(0, 5).toString("latin1") === "HEAD ";
    return [...problems, ...replyProblems(reply, bodiless)];
  }

  #book(exchanged: Exchange): readonly string[] {
    const { outcome, signers } = exchanged;
    if (typeof outcome === "object")
      for (const { accountId } of signers) this.#known.learn(accountId, outcome.success);
    return this.ledger.add(exchanged);
  }

  #countCode(code: string | undefined): void {
    if (code !== undefined) this.codes.add(code);
  }

  async #sendMessage(made: MessageCase, { lanes }: Readonly<{ lanes: Lanes }>): Promise<readonly string[]> {
    const outcome = await lanes[made.transport].ask(made.bytes);
    if (made.transport === "private") return this.#takeOutcome(made, outcome);
    if ("closed" in outcome) return this.#takeClose(outcome.closed);
    this.statuses.add(outcome.reply.includes('"result"') ? "stream 200" : "stream error");
    return streamProblems(outcome.reply);
  }

  #takeClose(code: number): readonly string[] {
    this.closes.add(String(code));
    return closeProblems(code);
  }

  #takeOutcome(made: MessageCase, outcome: SocketOutcome): readonly string[] {
    const { text } = made;
    const signers = signersOfMessage(text);
    const route = routeOfMessage(text);
    if ("closed" in outcome) {
      return [...this.#book({ route, signers, outcome: "lost" }), ...this.#takeClose(outcome.closed)];
    }
    const { reply } = outcome;
    const isDone = reply.includes('"status":200,"result"');
    if (isDone) this.successes.add(nameOf(made));
    this.statuses.add(/"status":([0-9]{3})/.exec(reply)?.[1] ?? "none");
    this.#countCode(/"error":{"code":(-[0-9]+)/.exec(reply)?.[1]);
    const reported = isDone ? { success: reply } : ("refused" as const);
    return [...this.#book({ route, signers, outcome: reported }), ...messageProblems(reply, idOf(text))];
  }

  /** Frames on a separate connection; any signed message in them may have been executed. */
  async #sendFrames(made: MessageCase, random: Random): Promise<readonly string[]> {
    const address = `10.7.${random.below(250)}.${random.below(250)}`;
    const opening = Buffer.from(handshake("/ws/listenKey", address));
    const lastWords = rawFrame({ opcode: OPCODE.close, payload: Buffer.from([3, 232]), masked: true });
    const bytes = Buffer.concat([opening, made.bytes]);
    const received = await askAlone(this.#port, bytes, { halfCloses: true, lastWords });
    const [first] = readReplies(received, bytes);
    const exchanged = { route: routeOfMessage(made.text), signers: signersOfMessage(made.text) };
    // A connection that was half closed before its handshake is not a connection.
    if (first === undefined) return this.#book({ ...exchanged, outcome: "lost" });
    if (first.status !== 101) return [`no WebSocket was opened: ${first.status} ${first.body}`];
    const { texts, code } = readFrames(received.subarray(received.indexOf("\r\n\r\n") + 4));
    const replies = texts.filter(isReply);
    if (replies.length === 0) this.#book({ ...exchanged, outcome: "lost" });
    return [
      ...this.#takeClose(code ?? 1006),
      ...replies.flatMap((text) => {
        const isDone = text.includes('"status":200,"result"');
        if (isDone) this.successes.add(nameOf(made));
        const booked = this.#book({ ...exchanged, outcome: isDone ? { success: text } : "refused" });
        return [...booked, ...messageProblems(text, undefined)];
      }),
    ];
  }
}
