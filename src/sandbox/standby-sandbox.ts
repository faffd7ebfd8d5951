import { HandOverError, type StatusKind } from "../engine/index.ts";
import { answerControl, answerStandby } from "./control-routes.ts";
import { type Exchange, type ExchangeHost, type ExchangeNode, openExchangeNode } from "./exchange.ts";
import type { Sandbox, StartedSandbox } from "./sandbox-api.ts";
import { type Control, openControl, type Served, serveExchange, serveStandby } from "./serving.ts";
import type { SandboxSettings } from "./settings.ts";

/** Conditions in which the orders belong to another process. */
const REPLACED: ReadonlySet<StatusKind> = new Set(["LEASE_LOST", "SHARD_FENCED"]);

const REPLACED_SENTENCE =
  "another sandbox on the same store has taken over: this one ends; start it again as a standby";

/** One sandbox of several on a store: a standby, and the exchange after it, on the same ports. */
class SandboxNode {
  readonly #settings: SandboxSettings;
  readonly #host: ExchangeHost;
  readonly #node: ExchangeNode;
  readonly #control: Control;
  #exchange: Exchange | undefined;
  #rest: Served;
  /** Resolves when it serves. */
  readonly active: Promise<Sandbox>;

  constructor(
    settings: SandboxSettings,
    host: ExchangeHost,
    parts: Readonly<{ node: ExchangeNode; rest: Served; control: Control; source: AnswerSource }>,
  ) {
    this.#settings = settings;
    this.#host = host;
    this.#node = parts.node;
    this.#rest = parts.rest;
    this.#control = parts.control;
    this.active = this.#become(parts.source);
    // A caller that stops the node does not wait for it.
    this.active.catch(() => undefined);
  }

  get addresses(): NonNullable<StartedSandbox["standby"]> {
    const { url, wsUrl } = this.#rest;
    return { url, wsUrl, controlUrl: this.#control.controlUrl };
  }

  /** Hands orders and venue over to a standby, if there is one, before the ports are closed. */
  async stop(): Promise<void> {
    const exchange = this.#exchange;
    const isHandedOver = exchange !== undefined && (await handedOver(exchange));
    this.#control.close();
    await this.#rest.close();
    if (!isHandedOver) await (exchange ?? this.#node).close();
  }

  async #become(source: AnswerSource): Promise<Sandbox> {
    const exchange = await this.#node.exchange;
    this.#exchange = exchange;
    source.exchange = exchange;
    const replaced = new Promise<string>((resolve) => {
      const { engine } = exchange;
      const look = (): void => {
        if (engine.status().reasons.some(({ kind }) => REPLACED.has(kind))) resolve(REPLACED_SENTENCE);
      };
      engine.events.on("status", look);
      look();
    });
    // The port is free for as long as it takes to listen again.
    await this.#rest.close();
    const { telemetry } = this.#host;
    this.#rest = await serveExchange(exchange, this.#settings, { telemetry, port: this.#rest.port });
    return { exchange, ...this.addresses, replaced, stop: () => this.stop() };
  }
}

/** Closes an exchange once a standby is ready, and resolves to true. Drains it and resolves to false if there is none. */
async function handedOver(exchange: Exchange): Promise<boolean> {
  const { engine } = exchange;
  try {
    await engine.handOver();
  } catch (error) {
    if (!(error instanceof HandOverError)) throw error;
    engine.drain();
    return false;
  }
  await exchange.close();
  return true;
}

/** Whom the control interface asks: the exchange as soon as there is one. */
type AnswerSource = { exchange: Exchange | undefined };

/** Opens a standby on a store that several sandboxes share, and its ports. Rejects if a port is in use. */
export async function openNode(settings: SandboxSettings, host: ExchangeHost): Promise<StartedSandbox> {
  const node = await openExchangeNode(settings, host);
  const { standby } = node;
  const source: AnswerSource = { exchange: undefined };
  let rest: Served | undefined;
  try {
    const served = await serveStandby(standby, settings, host.telemetry);
    rest = served;
    const control = await openControl(
      settings,
      (call) =>
        source.exchange === undefined ? answerStandby(node, call) : answerControl(source.exchange, call),
      () => [served.url],
    );
    const sandbox = new SandboxNode(settings, host, { node, rest, control, source });
    return { standby: sandbox.addresses, active: sandbox.active, stop: () => sandbox.stop() };
  } catch (error) {
    await rest?.close();
    await node.close();
    throw error;
  }
}
