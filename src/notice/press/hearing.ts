import type { Ledger } from '../../ledger/ledger.ts'
import { sleep, type Time } from '../../time/time.ts'

/** Waits after a failure, in milliseconds; the last one repeats. */
const WAITS_MS = [5_000, 30_000, 120_000, 300_000]

/** Collaborators of those who hear presses. */
export interface PressDeps {
  ledger: Pick<Ledger, 'find' | 'deliveries' | 'transaction' | 'setting' | 'setSetting'>
  time: Time
  signal: AbortSignal
  /** Called with the first failure of a row; hearing goes on. */
  onError: (error: unknown) => void
}

/** Hears presses again and again until the signal aborts. Never rejects. */
export async function keepHearing(hearOnce: () => Promise<void>, deps: PressDeps): Promise<void> {
  const { time, signal, onError } = deps
  for (let failures = 0; !signal.aborted; )
    try {
      await hearOnce()
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (failures === 0) onError(error)
      const wait = WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)] as number
      await sleep(time, wait, signal).catch(() => {})
    }
}
