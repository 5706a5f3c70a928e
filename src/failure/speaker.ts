/**
 * Who says what was read. A stranger's sentence describes a call, but it must not shut out an account or prove that
 * nothing was done.
 */
export type Speaker = 'us' | 'operator' | 'transport' | 'typed' | 'notice' | 'prose' | 'behind' | 'model'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** What a speaker may decide. */
export interface Authority {
  /** Who it is. */
  who: string
  /** What it decides about the class, in words. */
  class: string
  /** Whether its word can prove that nothing was done, in words. */
  none: string
  /** Whether its word can prove that nothing was done. */
  provesNone: boolean
  /** The longest time it can state, in milliseconds. */
  longestTimeMs: number
  /** The longest block of a provider that its word alone can cause, in milliseconds. */
  longestBlockMs: number
  /** Whether it can block a provider until somebody pays. */
  blocksForMoney: boolean
  /** What it may do to a provider, in words. */
  block: string
}

const FULL = {
  longestTimeMs: Infinity,
  longestBlockMs: Infinity,
  blocksForMoney: true,
  block: 'yes',
} as const

/** What each speaker may decide. The strongest comes first: where two say the same, the first one counts. */
export const SPEAKERS: Readonly<Record<Speaker, Authority>> = {
  us: {
    who: 'us: own timer, abort, rail, gate, a program that was not started',
    class: 'yes',
    none: 'yes',
    provesNone: true,
    ...FULL,
  },
  operator: {
    who: 'the operator: signatures, labels',
    class: 'yes',
    none: 'no, unless a label says so',
    provesNone: false,
    ...FULL,
  },
  transport: {
    who: 'the transport: connection, DNS and TLS as the client saw them; status and headers of the server that was asked; how a program ended',
    class: 'yes',
    none: 'if no connection was made, or the status is a refusal',
    provesNone: true,
    ...FULL,
  },
  typed: {
    who: "the provider, typed: type, code and fields of its answer, an agent CLI's own result field",
    class: 'yes',
    none: 'by a code that is known to refuse',
    provesNone: true,
    ...FULL,
  },
  notice: {
    who: "an agent CLI's own notice: its error event, stderr, or output of a run that failed",
    class: 'yes',
    none: 'no',
    provesNone: false,
    ...FULL,
    block: 'yes, also after turns',
  },
  prose: {
    who: 'the provider, in other words',
    class: 'yes, but over a client error only by a specific cause: money, a limit with its unit, an overload',
    none: 'no',
    provesNone: false,
    longestTimeMs: HOUR_MS,
    longestBlockMs: MINUTE_MS,
    blocksForMoney: true,
    block: 'a minute, or a stated time up to an hour; until paid if it is about money',
  },
  behind: {
    who: "somebody behind the provider: a tool's text, an upstream's words inside a 5xx",
    class: 'of this call or tool only',
    none: 'no',
    provesNone: false,
    longestTimeMs: HOUR_MS,
    longestBlockMs: MINUTE_MS,
    blocksForMoney: false,
    block: 'a minute; a stated time up to an hour for this call or tool only',
  },
  model: {
    who: 'the model: its answer',
    class: 'only if the whole answer is a known notice; the next call confirms it',
    none: 'no',
    provesNone: false,
    longestTimeMs: 0,
    longestBlockMs: MINUTE_MS,
    blocksForMoney: false,
    block: 'a minute; nothing if the run took turns or cost money',
  },
}

const STRENGTH = new Map(Object.keys(SPEAKERS).map((speaker, index) => [speaker, index]))

/** True if `a` counts more than `b`. */
export function isStronger(a: Speaker, b: Speaker): boolean {
  return (STRENGTH.get(a) as number) < (STRENGTH.get(b) as number)
}

export function isSpeaker(word: unknown): word is Speaker {
  return typeof word === 'string' && Object.hasOwn(SPEAKERS, word)
}
