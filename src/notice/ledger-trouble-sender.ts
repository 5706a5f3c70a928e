import { randomBytes } from 'node:crypto'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { Notice } from '../ledger/notice.ts'
import { cut } from './cut.ts'
import { LONGEST_TEXT, type Message } from './message.ts'
import { surfaceOf } from './surface/from-config.ts'
import type { SurfaceHost } from './surface/surface.ts'
import { isWanted } from './wanted.ts'

/** The same trouble is reported again after this long, in milliseconds: 1 hour. */
const AGAIN_AFTER_MS = 3_600_000

/** Settings and collaborators of a {@link LedgerTroubleSender}. */
export interface LedgerTroubleSenderOptions {
  surfaces: readonly SurfaceConfig[]
  host: SurfaceHost
  /** Called for each surface that could not be reached. */
  onError: (error: unknown, surface: string) => void
  /** Aborts sending. */
  signal: AbortSignal
}

/**
 * Tells surfaces that the ledger cannot be used. Such a message cannot be queued in the ledger, so each surface gets one
 * try, at most once an hour for the same trouble.
 */
export class LedgerTroubleSender {
  readonly #options: LedgerTroubleSenderOptions
  readonly #toldAt = new Map<string, number>()

  constructor(options: LedgerTroubleSenderOptions) {
    this.#options = options
  }

  /** Sends one message to every surface that wants it. Never rejects; settles when every surface was tried. */
  async send({ code, message }: { code: string; message: string }): Promise<void> {
    const { surfaces, host, signal, onError } = this.#options
    const now = host.now()
    if (now - (this.#toldAt.get(code) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return
    this.#toldAt.set(code, now)
    const wanting = surfaces.filter(surface => isWanted(surface, troubleAt(now), undefined))
    await Promise.all(
      wanting.map(async config => {
        try {
          const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)])
          await surfaceOf(config, host).send(messageOf(message, now), { signal: deadline })
        } catch (error) {
          onError(error, config.name)
        }
      }),
    )
  }
}

function troubleAt(now: number): Notice {
  return {
    id: '',
    key: '',
    type: 'ledger_trouble',
    priority: 'urgent',
    disposition: 'actionable',
    title: 'The ledger cannot be used',
    body: '',
    createdAt: now,
    expiresAt: now,
  }
}

function messageOf(said: string, at: number): Message {
  return {
    id: randomBytes(12).toString('hex'),
    event: 'ledger_trouble',
    priority: 'urgent',
    count: 1,
    title: 'The ledger cannot be used',
    text: cut(`${redact(oneLine(said))}\nCheck it: mulligan ledger check`, LONGEST_TEXT),
    at,
    notices: [],
  }
}
