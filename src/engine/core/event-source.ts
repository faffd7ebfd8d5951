import { EventEmitter } from "eventemitter3";
import { harmless } from "../../host-answers/index.ts";
import type { EngineEventSource, EngineEvents } from "./events.ts";

/** The listeners of an engine. Neither a throw nor a rejection of a listener reaches the engine or another listener. */
export class EventSource implements EngineEventSource {
  readonly #emitter: EventEmitter<keyof EngineEvents> = new EventEmitter();
  readonly #failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  on<Name extends keyof EngineEvents>(event: Name, listener: Listener<Name>): () => void {
    const guarded = this.#guarded(listener);
    this.#emitter.on(event, guarded);
    return () => void this.#emitter.off(event, guarded);
  }

  once<Name extends keyof EngineEvents>(event: Name, listener: Listener<Name>): () => void {
    const guarded = this.#guarded(listener);
    this.#emitter.once(event, guarded);
    return () => void this.#emitter.off(event, guarded);
  }

  /** Returns whether an event has a listener. Without one its payload need not be made. */
  hasListener(event: keyof EngineEvents): boolean {
    return this.#emitter.listenerCount(event) > 0;
  }

  emit<Name extends keyof EngineEvents>(event: Name, payload: EngineEvents[Name]): void {
    this.#emitter.emit(event, payload);
  }

  /** Removes all listeners. */
  stop(): void {
    this.#emitter.removeAllListeners();
  }

  #guarded<Payload>(listener: (payload: Payload) => void): (payload: Payload) => void {
    return (payload) => harmless(() => listener(payload), this.#failed);
  }
}

type Listener<Name extends keyof EngineEvents> = (payload: EngineEvents[Name]) => void;
