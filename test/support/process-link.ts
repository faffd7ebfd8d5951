import type {
  ForwardedRequest,
  PeerCall,
  PeerOutcome,
  PeerReceiver,
  PeerSender,
  PeerSink,
} from "../../src/cluster/index.ts";

/** A link that connects nodes in one process, as the real one does: answers, events and ends in order. */
export class ProcessLink {
  readonly nodes: Map<string, PeerReceiver> = new Map();
  readonly sent: ForwardedRequest[] = [];
  /** Streams that are open: their sinks at the node that has asked. */
  readonly open: Set<PeerSink> = new Set();
  /** Replaces the answer to the next requests. */
  answer: ((request: ForwardedRequest) => PeerOutcome) | undefined;

  sender(): Required<PeerSender> {
    return {
      send: async ({ address, request }) => {
        this.sent.push(request);
        if (this.answer !== undefined) return this.answer(request);
        return (await this.nodes.get(address)?.receive(request)) ?? { kind: "unsent", reason: "nobody" };
      },
      subscribe: (call, sink) => this.#subscribe(call, sink),
    };
  }

  /** Ends every stream, as a link that breaks does. */
  breaks(): void {
    for (const sink of [...this.open]) {
      this.open.delete(sink);
      sink.ended();
    }
  }

  async #subscribe(
    { address, request }: PeerCall,
    sink: PeerSink,
  ): Promise<Readonly<{ outcome: PeerOutcome; end: () => void }>> {
    this.sent.push(request);
    const none = { end: () => undefined };
    if (this.answer !== undefined) return { ...none, outcome: this.answer(request) };
    const answer = await this.nodes.get(address)?.subscribe?.(request, {
      event: (text) => {
        if (this.open.has(sink)) sink.event(text);
      },
      ended: () => {
        if (this.open.delete(sink)) sink.ended();
      },
    });
    if (answer === undefined) return { ...none, outcome: { kind: "unsent", reason: "nobody" } };
    if (answer.kind !== "stream") return { ...none, outcome: answer };
    this.open.add(sink);
    answer.start();
    const end = (): void => {
      if (this.open.delete(sink)) answer.end();
    };
    return { outcome: { kind: "reply", response: answer.response }, end };
  }
}
