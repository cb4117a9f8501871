// Typed events to be observed by log, status and tests. A listener that throws never harms the emitter.
import type { EventMap, EventName } from "../domain/events.ts";

type Listener<N extends EventName> = (payload: EventMap[N], name: N) => void;
type AnyListener = (name: EventName, payload: EventMap[EventName]) => void;

export interface Emitter {
  emit<N extends EventName>(name: N, payload: EventMap[N]): void;
  /** Returns the function that stops listening. */
  on<N extends EventName>(name: N, listener: Listener<N>): () => void;
  onAny(listener: AnyListener): () => void;
}

/** `onListenerError` is told of a throwing listener; it must not throw. */
export function createEmitter(onListenerError: (error: unknown) => void): Emitter {
  const listeners = new Set<AnyListener>();
  const add = (listener: AnyListener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    emit(name, payload) {
      for (const listener of listeners) {
        try {
          listener(name, payload);
        } catch (error) {
          onListenerError(error);
        }
      }
    },
    on: (name, listener) =>
      add((seen, payload) => {
        if (seen === name) (listener as (payload: unknown, name: EventName) => void)(payload, seen);
      }),
    onAny: add,
  };
}
