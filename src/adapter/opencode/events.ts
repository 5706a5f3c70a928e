import type { OpencodeClient } from './client.ts'

/** What opencode reports about a session while it answers. */
export type SessionNews =
  /** It waits before it asks the provider again. */
  | { type: 'retry'; attempt: number; message: string; next: number }
  /** The real error: an answer may only say 500 and a reference. */
  | { type: 'error'; error: unknown }

type Listener = (news: SessionNews) => void

/**
 * Passes opencode's events to the listeners of a session. In a plugin, `hook` is its `event` hook; elsewhere `follow`
 * reads the event stream of the server.
 */
export class OpencodeEvents {
  readonly #listeners = new Map<string, Set<Listener>>()

  /** The `event` hook of a plugin. */
  readonly hook = async ({ event }: { event: unknown }): Promise<void> => this.handle(event)

  /** Calls back with the news of a session; returns the function that stops it. */
  on(session: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set()
    this.#listeners.set(session, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(session)
    }
  }

  /** Takes an event of opencode; ignores anything else, and sessions without a listener. */
  handle(event: unknown): void {
    const { type, properties } = (event ?? {}) as { type?: unknown; properties?: Record<string, unknown> }
    const listeners = this.#listeners.get(String(properties?.sessionID))
    const news = listeners && newsOf(type, properties ?? {})
    if (news) for (const listener of [...listeners]) listener(news)
  }

  /** Reads the event stream of a server until the signal is aborted, or the server ends it. Resolves once it is open. */
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
      // Without events an answer still comes; only waits are not seen early.
    }
  }
}

function newsOf(type: unknown, properties: Record<string, unknown>): SessionNews | undefined {
  if (type === 'session.error')
    return properties.error ? { type: 'error', error: properties.error } : undefined
  if (type !== 'session.status') return undefined
  const { type: state, attempt, message, next } = (properties.status ?? {}) as Record<string, unknown>
  if (state !== 'retry' || typeof next !== 'number') return undefined
  return { type: 'retry', attempt: Number(attempt) || 0, message: String(message ?? ''), next }
}
