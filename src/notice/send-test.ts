import { randomBytes } from 'node:crypto'
import { call } from '../call/call.ts'
import type { CallEvent } from '../call/event.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { present } from '../failure/present.ts'
import type { PolicyLike } from '../verdict/policy.ts'
import type { Message } from './message.ts'
import { surfaceOf } from './surface/from-config.ts'
import type { Sent, SurfaceHost } from './surface/surface.ts'

/** Options of {@link sendTest}. */
export interface SendTestOptions {
  /** Aborts the test. */
  signal?: AbortSignal
  /** Called with every try and wait. Default none. */
  onEvent?: (event: CallEvent) => void
  /** Id of the message. Default random. */
  id?: string
}

const MAX_RETRIES = 5
const BUDGET_MS = 90_000

/** Retries a hang or an unknown answer soon: a person is watching. The default policy would wait longer or give up. */
const retrySoon: PolicyLike = {
  name: 'notices test',
  verdict: ({ class: cls }, { retries, maxRetries }) =>
    (cls === 'timeout' || cls === 'unknown') && retries < maxRetries
      ? { action: 'retry', delayMs: 1_000, mode: 'again', reason: 'no answer', rule: 'notice:test' }
      : undefined,
}

/**
 * Sends a test message to a surface of a trusted config, with a few retries, and returns where it is. Before a second
 * try it looks for the message, if the surface allows that. Rejects with a `CallFailed` or a `MissingReference`.
 */
export async function sendTest(
  config: SurfaceConfig,
  host: SurfaceHost,
  { signal, onEvent, id = randomBytes(12).toString('hex') }: SendTestOptions = {},
): Promise<Sent> {
  const surface = surfaceOf(config, host)
  const message: Message = {
    id,
    event: 'test',
    priority: 'normal',
    count: 1,
    title: 'This is a test of Mulligan',
    text: `The surface ${config.name} works: notices arrive here.`,
    at: host.now(),
    notices: [],
  }
  let tries = 0
  const { value } = await call(
    async context => {
      tries++
      const answer = tries > 1 ? await surface.verify?.(message, context) : undefined
      if (typeof answer !== 'object' || answer.state !== 'done') return surface.send(message, context)
      return typeof answer.value === 'string' ? { reference: answer.value } : {}
    },
    {
      name: `notices test ${config.name}`,
      maxRetries: MAX_RETRIES,
      budgetMs: BUDGET_MS,
      attemptTimeoutMs: config.timeoutMs,
      repeatable: true,
      softFailures: false,
      policy: retrySoon,
      ...present({ signal, onEvent }),
    },
  )
  return value
}
