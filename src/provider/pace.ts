import type { Failure } from '../failure/failure.ts'
import { learned, type Rate, rateAt } from './learned-rate.ts'
import { CLOCK_TOLERANCE_MS } from './span.ts'

/**
 * A quota, or one model of it, that lets calls through one after another since it refused some. Plain JSON, seen by all
 * processes. Times are in epoch milliseconds.
 */
export interface Pace {
  /** When it last refused a call. */
  at: number
  /** Refusals in a row before the last one, without a success between them: each doubles the pause. */
  count: number
  /** Nobody goes before. */
  until: number
  /** How many calls may be out that are not admitted yet: one after a pause, and one more for each that was served. */
  room: number
  failure: Failure
  /** Set by a call that named no model: then such calls are paced too. */
  isUnnamed?: true
  /** The one call that goes first after a pause. Until it is admitted, or this time has passed, the others wait. */
  turn?: { by: string; until: number }
  /** Calls served since the last pause was over, and those of them that others waited behind: its rate is learned from them. */
  served: number
  waitedFor: number
  /** The rate that it takes, once it is known. */
  rate?: Rate
  /** With a known rate: when the next call is due. */
  nextAt?: number
  /** What became of the first calls after a pause. */
  slow?: Outcomes | undefined
  /** What became of all other calls. */
  fast?: Outcomes | undefined
  /** If the call that was refused last was slow: those that were out with it were as well, if they were sent since then. */
  slowFrom?: number
  /** Calls that go alone are refused now and then as well: asking more slowly does not help, so nobody waits. */
  isChance?: true
}

/** How many calls were served and refused. */
interface Outcomes {
  served: number
  refused: number
}

const NO_OUTCOMES: Outcomes = { served: 0, refused: 0 }
/** So many calls that went slowly show whether refusals depend on how many ask. */
const SHOWN_BY = 6
/** Of those, so many refused are no accident. */
const LEAST_REFUSED = 2
/** How many calls are remembered. */
const REMEMBERED = 64

/** Whether slow calls are refused too, nearly as often as others, but fewer than half: asking more slowly does not help. */
function isChance(slow: Outcomes = NO_OUTCOMES, fast: Outcomes = NO_OUTCOMES): boolean {
  const all = slow.served + slow.refused
  if (all < SHOWN_BY || slow.refused < LEAST_REFUSED || slow.refused * 2 >= all) return false
  return (slow.refused / all) * 2 >= fast.refused / (fast.served + fast.refused + 2)
}

/** Whether more are refused than served, since nobody waits: it was a limit after all. */
function isLimit({ served, refused }: Outcomes, out: number): boolean {
  return refused >= SHOWN_BY && refused > served + out
}

/** A call that is not refused for this long, in milliseconds, is admitted: the next one need not wait for its end. */
export const ADMITTED_MS = 2_000
/** Without a refusal for this long, in milliseconds, nothing is remembered. */
export const FORGET_MS = 60_000
/** With this much room the line is open, unless a rate is known. */
const OPEN_ROOM = 64

const FIRST_MS = 1_000
const MINUTE = 60_000
const LONGEST_MS = 15 * MINUTE
/** Pauses double from a second to a minute, then on to 15 minutes. */
const PAUSES_TO_MINUTE = 6
/** With a known rate, a pause lasts as long as this many calls, and as many after it show what it takes. */
const FIRST_CALLS = 2
/** A pause varies by this share, so that processes do not return together. */
const JITTER = 0.25

/**
 * How long nobody goes, in milliseconds.
 * @param count refusals in a row before this one
 * @param rate calls per second that it takes, if known
 */
export function pauseMs(count: number, random: number, rate = 0): number {
  const first = Math.min(FIRST_MS, (FIRST_CALLS * 1_000) / rate)
  const plain =
    count < PAUSES_TO_MINUTE
      ? first * 2 ** count
      : Math.min(MINUTE * 2 ** Math.min(count - PAUSES_TO_MINUTE, 10), LONGEST_MS)
  return Math.min(plain * (1 + JITTER * (2 * random - 1)), LONGEST_MS)
}

/** A stated wait up to this long, in milliseconds, is one that clients make in passing: it may be for the refused call alone. */
const SHORT_WAIT_MS = 2_000

/** Whether a stated wait is for all calls, even if others are served. */
export function isLongWait(until: number, now: number): boolean {
  return until - now > SHORT_WAIT_MS
}

/** What a refused call knows. */
export interface Refused {
  failure: Failure
  startedAt: number
  now: number
  /** In [0, 1). */
  random: number
  isUnnamed: boolean
  /** When the provider said that it works again; undefined if it did not. */
  statedUntil?: number | undefined
  /** Whether a rate is learned from refusals. */
  learns: boolean
  /** Calls of this process that are neither admitted nor refused yet. Default none. */
  out?: number
}

/** After a refusal. Calls that began before the last pause was over belong to that refusal. */
export function afterRefusal(pace: Pace | undefined, refused: Refused): Pace {
  const { failure, startedAt, now, random, isUnnamed, statedUntil = 0, learns, out = 0 } = refused
  const before = pace && paceAt(pace, now)
  if (before && startedAt < before.until)
    return statedUntil > before.until ? { ...before, until: statedUntil } : before
  const isLong = isLongWait(statedUntil, now)
  const wasSlow = before !== undefined && isSlow(before, startedAt)
  const slow = wasSlow ? withRefused(before.slow) : before?.slow
  const fast = wasSlow ? before.fast : withRefused(before?.fast)
  if (before?.isChance && fast && !isLong && !isLimit(fast, out)) return { ...before, at: now, fast }
  if (before && !before.isChance && !isLong && isChance(slow, fast))
    return { ...open(before, now), at: now, failure }
  const isAgain =
    before !== undefined && (before.room <= 1 || (before.rate !== undefined && before.served === 0))
  const count = isAgain ? before.count + 1 : 0
  const rate = before && learns && !before.isChance ? learned(before.rate, before, now) : undefined
  const until =
    statedUntil > now ? statedUntil : now + Math.round(pauseMs(count, random, isAgain ? undefined : rate))
  return {
    at: now,
    count,
    until,
    room: rate !== undefined && !isAgain ? OPEN_ROOM : 1,
    failure,
    ...(isUnnamed || before?.isUnnamed ? { isUnnamed: true } : {}),
    served: 0,
    waitedFor: 0,
    ...(rate === undefined ? {} : { rate: { perSecond: rate, at: until } }),
    ...(wasSlow ? { slowFrom: before.until } : {}),
    ...(before?.isChance ? {} : { slow, fast }),
  }
}

/** Whether a call was among the first after a pause: a limit that refused others has room for it. */
function isSlow({ rate, room, isChance, until }: Pace, startedAt: number): boolean {
  if (isChance) return false
  return room <= 1 || (rate !== undefined && startedAt < until + (FIRST_CALLS * 1_000) / rate.perSecond)
}

function withRefused({ served, refused }: Outcomes = NO_OUTCOMES): Outcomes {
  return remembered({ served, refused: refused + 1 })
}

function withServed({ served, refused }: Outcomes = NO_OUTCOMES): Outcomes {
  return remembered({ served: served + 1, refused })
}

function remembered({ served, refused }: Outcomes): Outcomes {
  return served + refused < REMEMBERED ? { served, refused } : { served: served / 2, refused: refused / 2 }
}

/** Nobody waits any longer: refusals are chance. */
function open(pace: Pace, now: number): Pace {
  const { turn: _over, rate: _slow, nextAt: _due, ...rest } = pace
  return { ...rest, until: now, room: OPEN_ROOM, isChance: true, slow: NO_OUTCOMES, fast: NO_OUTCOMES }
}

/**
 * A call was served, or is taken as admitted: one more may be out.
 * @param isWaitedFor whether other calls wait for their turn
 */
export function afterAdmitted(
  pace: Pace | undefined,
  startedAt: number,
  now: number,
  isWaitedFor: boolean,
): Pace | undefined {
  const before = pace && paceAt(pace, now)
  if (!before) return before
  if (startedAt < before.at && !before.isChance)
    return { ...before, ...counted(before, startedAt >= (before.slowFrom ?? Infinity)) }
  const { turn: _over, ...rest } = before
  return {
    ...rest,
    ...counted(before, isSlow(before, startedAt)),
    until: Math.min(before.until, now),
    room: Math.min(before.room + 1, OPEN_ROOM),
    served: before.served + 1,
    waitedFor: before.waitedFor + (isWaitedFor ? 1 : 0),
  }
}

function counted({ slow, fast }: Pace, isSlow: boolean): Pick<Pace, 'slow' | 'fast'> {
  return isSlow ? { slow: withServed(slow) } : { fast: withServed(fast) }
}

/** A call goes: it takes the one turn after a pause, and its share of a known rate. */
export function withTurn(pace: Pace, by: string, now: number): Pace {
  const rate = pace.rate && rateAt(pace.rate, now)
  return {
    ...pace,
    ...(pace.room <= 1 ? { turn: { by, until: now + ADMITTED_MS } } : {}),
    ...(rate === undefined ? {} : { nextAt: Math.max(pace.nextAt ?? 0, now) + 1_000 / rate }),
  }
}

/** The call that went first ended without a result. */
export function withoutTurn(pace: Pace | undefined, by: string): Pace | undefined {
  if (pace?.turn?.by !== by) return pace
  const { turn: _over, ...rest } = pace
  return rest
}

/** What is in force now; undefined once it is forgotten, or if the clock was set back. */
export function paceAt(pace: Pace, now: number): Pace | undefined {
  // An earlier version kept other counts.
  if (pace.at > now + CLOCK_TOLERANCE_MS || pace.served === undefined) return undefined
  const end = Math.max(pace.until, pace.at) + FORGET_MS
  if (now < end) return pace
  // Calls that still wait at a known rate follow ever faster, not all at once.
  return pace.rate && rateAt(pace.rate, now) !== undefined ? pace : undefined
}

/**
 * When the next call may go; now or earlier if it may at once.
 * @param out calls of this process that are not admitted yet: when each was sent, the first first
 * @param passesPause true for the retry of a call that was told when to come back: its policy decides when that is
 */
export function nextTurnAt(pace: Pace, now: number, out: readonly number[], passesPause = false): number {
  if (pace.until > now && !passesPause) return pace.until
  const turn = pace.turn && pace.turn.until <= now + ADMITTED_MS ? pace.turn.until : 0
  const first = out.length >= pace.room && pace.room < OPEN_ROOM ? (out[0] as number) + ADMITTED_MS : 0
  const rated = pace.rate && rateAt(pace.rate, now) !== undefined ? (pace.nextAt ?? 0) : 0
  return Math.max(turn, first, rated)
}
