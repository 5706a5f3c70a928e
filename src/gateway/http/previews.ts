import type { BulkPreview } from '../../queue/bulk-outcome.ts'
import type { Time } from '../../time/time.ts'

/** How long a preview can be applied, in milliseconds. */
export const PREVIEW_VALID_MS = 10 * 60_000
const MOST_PREVIEWS = 20
/** Most operations in all previews together, because previews are kept in memory. */
const MOST_MOVES = 500_000

/** Previews of bulk changes. Each can be applied once, so exactly what was shown is done. */
export class Previews {
  readonly #time: Pick<Time, 'now'>
  readonly #newToken: () => string
  readonly #kept = new Map<string, { preview: BulkPreview; expiresAt: number }>()

  constructor(time: Pick<Time, 'now'>, newToken: () => string) {
    this.#time = time
    this.#newToken = newToken
  }

  /** Keeps a preview. Drops older ones if there are too many. */
  keep(preview: BulkPreview): { token: string; expiresAt: number } {
    const token = this.#newToken()
    const expiresAt = this.#time.now() + PREVIEW_VALID_MS
    this.#kept.set(token, { preview, expiresAt })
    for (const older of this.#kept.keys()) {
      if (this.#kept.size <= MOST_PREVIEWS && this.#moves() <= MOST_MOVES) break
      if (older !== token) this.#kept.delete(older)
    }
    return { token, expiresAt }
  }

  /** Returns a preview once. Undefined if it is unknown, used or expired. */
  take(token: string): BulkPreview | undefined {
    const kept = this.#kept.get(token)
    this.#kept.delete(token)
    return kept && kept.expiresAt > this.#time.now() ? kept.preview : undefined
  }

  #moves(): number {
    return [...this.#kept.values()].reduce((sum, { preview }) => sum + preview.moves.length, 0)
  }
}
