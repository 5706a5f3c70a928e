import type { Speaker } from '../speaker.ts'

/** What a rank of evidence is worth. */
export interface Worth {
  /** What it is. */
  readonly what: string
  /** Who usually says it. */
  readonly speaker: Speaker
  /** Whether it proves its kind: it can overturn a client error, be a notice, or show a throttle in a success. */
  readonly proves: boolean
  /** Whether it counts beside other evidence, not only where there is none. */
  readonly stands: boolean
}

export const worth = (what: string, speaker: Speaker, proves: boolean, stands: boolean): Worth => ({
  what,
  speaker,
  proves,
  stands,
})

/** Ranks of evidence, the strongest first: it wins at any depth. A rule has no other way to win or to give way. */
export const RANKS = {
  told: worth('the kind that the failed program itself states', 'typed', true, true),
  specific: worth('names the cause itself, which no wrapper or status overrides', 'typed', true, true),
  typed: worth('a typed name, code or status that names a family', 'typed', true, true),
  general: worth('words that usually mean it', 'prose', false, true),
  status: worth(
    'what wrappers say for many things: a bare 400 or 500, "fetch failed"',
    'transport',
    false,
    true,
  ),
  last: worth('better than nothing: an exit code, the type of an error', 'transport', false, false),
} as const satisfies Record<string, Worth>

export type Rank = keyof typeof RANKS
