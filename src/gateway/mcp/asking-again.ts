import { timeToJson } from '../../time/time-json.ts'

/** How long a tool waits for what is not there yet, by default and at most, in milliseconds: shorter than any client waits. */
export const WAIT_MS = 25_000

/** The wait that a caller asked for, within bounds. Without one it waits: a client that asks at once again wears itself out. */
export function waitMsOf(given: unknown, longestMs = WAIT_MS): number {
  const wanted = typeof given === 'number' && !Number.isNaN(given) ? given : WAIT_MS
  return Math.min(Math.max(wanted, 0), longestMs)
}

/** Things whose looks are counted. */
const MOST_COUNTED = 1_000
/** The proposed wait gets shorter by a second each time, this many times. */
const STEPS = 10

const SENTENCES = [
  'Continue with other work.',
  'Do something else meanwhile.',
  'Nothing needs you until then.',
  'Other work can go on now.',
] as const

/** When and how to ask again. */
export interface AskAgain {
  /** Epoch milliseconds. */
  at: number
  /** Wait to ask for, in milliseconds. */
  waitMs: number
  sentence: string
}

/**
 * Tells a model when and how to ask again. Some clients end a session that makes the same call a few times in a row, so each
 * answer proposes another wait, and has other words.
 */
export class AskingAgain {
  readonly #looks = new Map<string, number>()

  /**
   * @param of what was asked for
   * @param dueAt when it is expected, in epoch milliseconds
   * @param how the call to make, with this wait
   */
  next(of: string, dueAt: number | undefined, now: number, how: (waitMs: number) => string): AskAgain {
    const look = this.#looks.get(of) ?? 0
    this.#looks.delete(of)
    this.#looks.set(of, look + 1)
    const [oldest] = this.#looks.keys()
    if (this.#looks.size > MOST_COUNTED && oldest !== undefined) this.#looks.delete(oldest)
    const waitMs = WAIT_MS - 1_000 * ((look % STEPS) + 1)
    // A moment later it has been tried; what is due within the wait need not be waited for twice.
    const inS = Math.ceil(((dueAt ?? now) - now) / 1_000) + 1
    const isSoon = inS * 1_000 <= waitMs
    const at = isSoon ? now : now + inS * 1_000
    const when = isSoon ? 'Ask again' : `Ask again in ${inS} s (at ${timeToJson(at)})`
    const sentence = `${SENTENCES[look % SENTENCES.length]} ${when}: ${how(waitMs)}, which waits for it.`
    return { at, waitMs, sentence }
  }
}
