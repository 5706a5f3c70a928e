import type { OpencodeClient } from './client.ts'

/** A report of opencode about a session that is answering. */
export type SessionNews =
  /** Opencode waits before it calls the provider again; `next` is epoch milliseconds. */
  | { type: 'retry'; attempt: number; message: string; next: number }
  /** The real error. The answer may only be a 500 with a reference. */
  | { type: 'error'; error: unknown }

type Listener = (news: SessionNews) => void

/**
 * Passes opencode's events to the listeners of a session. In a plugin, use `hook` as its `event` hook; elsewhere,
 * `follow` reads the server's event stream.
 */
export class OpencodeEvents {
  readonly #listeners = new Map<string, Set<Listener>>()

  /** The `event` hook of a plugin. */
  readonly hook = async ({ event }: { event: unknown }): Promise<void> => this.handle(event)

  /** Adds a listener for a session. Returns the function that removes it. */
  on(session: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set()
    this.#listeners.set(session, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(session)
    }
  }

  /** Handles an event of opencode. Ignores anything else, and sessions without a listener. */
  handle(event: unknown): void {
    const { type, properties } = (event ?? {}) as { type?: unknown; properties?: Record<string, unknown> }
    const listeners = this.#listeners.get(String(properties?.sessionID))
    const news = listeners && newsOf(type, properties ?? {})
    if (news) for (const listener of [...listeners]) listener(news)
  }

  /** Reads the server's event stream until the signal aborts or the server ends it. Resolves once the stream is open. */
  async follow(client: OpencodeClient, signal: AbortSignal): Promise<void> {
    const { stream } = await client.event.subscribe({ signal } as never)
    void this.#read(stream, signal)
  }

  async #read(stream: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of stream) {
        if (signal.aborted) return
        this.handle(event)
      }
    } catch {
      // Answers still arrive without events; only long waits are noticed later.
    }
  }
}

/** What an event says about a session that is answering; undefined if nothing. */
export function newsOf(type: unknown, properties: Record<string, unknown>): SessionNews | undefined {
  if (type === 'session.error')
    return properties.error ? { type: 'error', error: properties.error } : undefined
  if (type !== 'session.status') return undefined
  const { type: state, attempt, message, next } = (properties.status ?? {}) as Record<string, unknown>
  if (state !== 'retry' || typeof next !== 'number') return undefined
  return { type: 'retry', attempt: Number(attempt) || 0, message: String(message ?? ''), next }
}
