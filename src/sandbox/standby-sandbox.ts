import type { ClusterNode, PeerLink } from "../cluster/index.ts";
import { SHARD_COUNT } from "../model/index.ts";
import { answerSharing, answerStandby } from "./control-routes.ts";
import { type Exchange, type ExchangeHost, type ExchangeNode, openExchangeNode } from "./exchange.ts";
import { drained, handedOver, replaced } from "./node-ends.ts";
import {
  openLink,
  openPorts,
  type Ports,
  type Sandbox,
  type ServedNode,
  type StartedSandbox,
  serveNode,
} from "./serving.ts";
import type { SandboxSettings } from "./settings.ts";

const DRAINED_SENTENCE =
  "an operator wanted a hand-over, and another sandbox on the same store is active: this one ends; start it again as a standby";

const REPLACED_SENTENCE =
  "another sandbox on the same store has taken over: this one ends; start it again as a standby";

type NodeParts = Readonly<{
  node: ExchangeNode;
  ports: Ports<ServedNode>;
  source: AnswerSource;
  link: PeerLink | undefined;
}>;

/** One sandbox of several on a store: a standby, and the exchange after it, on the same ports. */
class SandboxNode {
  readonly #parts: NodeParts;
  #exchange: Exchange | undefined;
  /** Resolves when it serves. */
  readonly active: Promise<Sandbox>;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.active = this.#become();
    // A caller that stops the node does not wait for it.
    this.active.catch(() => undefined);
  }

  get addresses(): Pick<Sandbox, "url" | "wsUrl" | "controlUrl"> {
    const { rest, controlUrl } = this.#parts.ports;
    return { url: rest.url, wsUrl: rest.wsUrl, controlUrl };
  }

  /** Hands orders and venue over to a standby, if there is one, before the ports are closed. */
  async stop(): Promise<void> {
    const exchange = this.#exchange;
    const isHandedOver = exchange !== undefined && (await handedOver(exchange));
    if (exchange !== undefined && !isHandedOver) exchange.engine.drain();
    await this.#end(isHandedOver);
  }

  async #end(isHandedOver: boolean): Promise<void> {
    const { node, ports, link } = this.#parts;
    await ports.close();
    await link?.close();
    if (!isHandedOver) await (this.#exchange ?? node).close();
  }

  /** Hands over if a standby is ready, and closes the ports after it. */
  async #handOver(): Promise<boolean> {
    const exchange = this.#exchange;
    if (exchange === undefined || !(await handedOver(exchange))) return false;
    await this.#end(true);
    return true;
  }

  async #become(): Promise<Sandbox> {
    const { node, ports, source } = this.#parts;
    const exchange = await node.exchange;
    this.#exchange = exchange;
    const { engine } = exchange;
    const isReplaced = replaced(engine).then(() => REPLACED_SENTENCE);
    const isDrained = drained(engine, () => this.#handOver()).then(() => DRAINED_SENTENCE);
    await activate(ports.rest, exchange, source);
    return {
      ...{ exchange, ...this.addresses, replaced: isReplaced, drained: isDrained },
      stop: () => this.stop(),
    };
  }
}

/** Returns whether another process serves. Of several that share the shards, none owns all of them. */
export function isBehindAnother(standby: Pick<ClusterNode, "ownerOf">): boolean {
  for (let shard = 0; shard < SHARD_COUNT; shard++) if (standby.ownerOf(shard)?.isSelf === false) return true;
  return false;
}

/** Whom the control interface asks: the exchange as soon as the port of REST serves it. */
type AnswerSource = { exchange: Exchange | undefined };

/** Serves an exchange on the port of its node, and calls the node active only then. */
export async function activate(
  rest: Pick<ServedNode, "serve">,
  exchange: Exchange,
  source: AnswerSource,
): Promise<void> {
  await rest.serve(exchange);
  source.exchange = exchange;
}

/** Opens a standby on a store that several sandboxes share, and its ports. Rejects if a port is in use. */
export async function openSandboxNode(
  settings: SandboxSettings,
  host: ExchangeHost,
): Promise<StartedSandbox> {
  const { peers } = settings;
  const { link, address = "" } = peers === undefined ? {} : await openLink(peers, host.telemetry);
  try {
    return await openLinked(settings, host, { link, address });
  } catch (error) {
    await link?.close();
    throw error;
  }
}

async function openLinked(
  settings: SandboxSettings,
  host: ExchangeHost,
  { link, address }: Readonly<{ link: PeerLink | undefined; address: string }>,
): Promise<StartedSandbox> {
  const node = await openExchangeNode(settings, host, address);
  const { standby } = node;
  const source: AnswerSource = { exchange: undefined };
  const { telemetry, realClock: clock } = host;
  try {
    const ports = await openPorts(
      settings,
      (controlUrl) => serveNode(standby, settings, { telemetry, link, clock, controlUrl }),
      (call) =>
        source.exchange === undefined
          ? answerStandby(node, call)
          : answerSharing({ exchange: source.exchange, node: standby }, call),
    );
    const sandbox = new SandboxNode({ node, ports, source, link });
    return {
      standby: { ...sandbox.addresses, isBehindAnother: () => isBehindAnother(standby) },
      active: sandbox.active,
      stop: () => sandbox.stop(),
    };
  } catch (error) {
    await node.close();
    throw error;
  }
}
