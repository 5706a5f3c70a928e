/**
 * How calls that have nobody else to go to find out whether a provider with an open breaker is back: one goes first after a
 * short pause, the others wait in line. Plain JSON, part of the breaker's state. Times are in epoch milliseconds.
 */
export interface DownLine {
  /** When the breaker opened. Results of calls that began before say nothing new. */
  since: number
  /** When the next call may go first. */
  turnAt: number
  /** When one last did. */
  turnedAt: number
  /** How many did. */
  turns: number
  /** Calls in a row that failed, without a success between them. */
  failed: number
  /** When the first of them ended. */
  failedAt: number
  /** When a call was last served, if one was between failures. */
  servedAt?: number | undefined
  /** Calls that began since then, and were served. */
  served: number
  /** When the first went that has not failed yet. */
  outSince?: number | undefined
}

/** What the line must know of a call. Lengths are in milliseconds. */
export interface InLine {
  /** How long it has waited so far. */
  waitedMs: number
  /** How much longer it can wait; Infinity if there is no end. */
  leftMs: number
  /** The tries that it has left. */
  tries: number
  /** It goes by itself after this long. Default: its tries are spread over its time. */
  ownTurnMs?: number | undefined
}

const FIRST_MS = 500
const LONGEST_MS = 5_000
/** A pause varies by this share, so that it does not meet every burst of an outage that comes and goes. */
const JITTER = 0.25
/** After so many, over so many milliseconds, the provider is down, not just unreliable. */
const DOWN_FAILURES = 50
const DOWN_MS = 60_000
/** Calls then go at least this far apart, in milliseconds. */
const DOWN_APART_MS = 1_000
/** Of a provider that served a call this lately, in milliseconds, failures may be chance. */
const LATELY_MS = 1_500
/** If calls are out this long, in milliseconds, and none fails, they are being served: the others need not wait for their end. */
const HEARD_MS = 2_000
/** A call leaves the turn to those that would not fail for good with it, this long in milliseconds. */
export const YIELD_MS = 50

/** Calls in a row that failed, when the first of them ended, and when one was served before. */
export type Streak = Pick<DownLine, 'failed' | 'failedAt' | 'servedAt'>

/** @param random in [0, 1) */
export function newLine(now: number, random: number, longestMs: number, streak: Streak): DownLine {
  const turnAt = now + pauseMs(0, random, longestMs)
  return { since: now, turnAt, turnedAt: now, turns: 0, served: 0, ...streak }
}

/** A call goes first. */
export function withTurn(line: DownLine, now: number, random = 0.5, longestMs = Infinity): DownLine {
  const turns = line.turns + 1
  const turnAt = now + pauseMs(turns, random, longestMs)
  return { ...line, turns, turnedAt: now, turnAt, outSince: line.outSince ?? now }
}

/** A call that began at `startedAt` failed. That refuses nothing to one that went before it and is still out. */
export function withFailure(line: DownLine, startedAt: number): DownLine {
  const isFirstOut = line.outSince !== undefined && startedAt <= line.outSince
  return { ...line, failed: line.failed + 1, served: 0, ...(isFirstOut ? { outSince: undefined } : {}) }
}

/** When a call may go: once it is somebody's turn, or its own share of its time is over, which it need leave to nobody. */
export interface Turn {
  at: number
  ownAt: number
}

/**
 * When the call may go; now or earlier if it may at once. It goes when it is somebody's turn, and once its own share of its
 * time is over: the failures of others never end a call that still has tries and time. Only of a provider that is surely down
 * they count for all.
 * Nobody waits while the failures may be chance, because the next call may be served.
 * @param consecutive so many failures in a row are not chance
 */
export function turnOf(
  line: DownLine,
  now: number,
  { waitedMs, leftMs, tries, ownTurnMs = Infinity }: InLine,
  consecutive: number,
): Turn {
  const { turnAt, turnedAt, failed, failedAt, servedAt = -Infinity, outSince = Infinity } = line
  const failingMs = now - failedAt
  if (failed < consecutive || now - servedAt < LATELY_MS) return { at: now, ownAt: now }
  const isDown = failed >= DOWN_FAILURES && failingMs >= DOWN_MS
  const nextAt = tries <= 1 ? turnAt + YIELD_MS : turnAt
  const since = isDown ? turnedAt : now - waitedMs
  const share = Math.min(ownTurnMs, (now + leftMs - since) / (tries + 1))
  const shareAt = since + (isDown ? Math.max(DOWN_APART_MS, share) : share)
  const ownAt = isDown ? shareAt : Math.min(shareAt, outSince + HEARD_MS)
  return { at: Math.min(ownAt, nextAt), ownAt }
}

function pauseMs(turns: number, random: number, longestMs: number): number {
  const plain = Math.min(FIRST_MS * 2 ** Math.min(turns, 10), LONGEST_MS, longestMs)
  return Math.round(plain * (1 + JITTER * (2 * random - 1)))
}
