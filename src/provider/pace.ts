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
  /** What was served since the limit was first met, to learn its rate from. */
  met: { at: number; served: number; waitedFor: number }
  /** The rate that it takes, once it is known. */
  rate?: Rate
  /** With a known rate: when the next call is due. */
  nextAt?: number
  /** What became of calls that went alone, after a pause; once refusals are known to be chance, of all calls. */
  alone?: Outcomes
  /** Calls that go alone are refused now and then as well: asking more slowly does not help, so nobody waits. */
  isChance?: true
}

/** How many calls were served and refused. */
interface Outcomes {
  served: number
  refused: number
}

const NO_OUTCOMES: Outcomes = { served: 0, refused: 0 }
/** So many calls that went alone show whether refusals depend on how many ask. */
const SHOWN_BY = 6
/** Of those, so many refused are no accident. */
const LEAST_REFUSED = 2

/** Whether refusals strike calls that go alone too, but fewer than half: then they do not depend on how many ask. */
function isChance({ served, refused }: Outcomes): boolean {
  return served + refused >= SHOWN_BY && refused >= LEAST_REFUSED && refused * 2 < served + refused
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
/** A pause varies by this share, so that processes do not return together. */
const JITTER = 0.25

/**
 * How long nobody goes, in milliseconds.
 * @param count refusals in a row before this one
 */
export function pauseMs(count: number, random: number): number {
  const plain =
    count < PAUSES_TO_MINUTE
      ? FIRST_MS * 2 ** count
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
  if (before?.isChance && !isLongWait(statedUntil, now)) {
    const all = withRefused(before.alone)
    if (!isLimit(all, out)) return { ...before, at: now, alone: all }
  }
  const isAgain = before !== undefined && before.room <= 1
  const alone =
    isAgain && !before.isChance ? withRefused(before.alone) : before?.isChance ? undefined : before?.alone
  if (before && alone && !isLongWait(statedUntil, now) && isChance(alone))
    return { ...open(before, now), at: now, failure }
  const count = isAgain ? before.count + 1 : 0
  const met = before?.met ?? { at: now, served: 0, waitedFor: 0 }
  const rate = before && learns ? learned(before.rate, met, now) : undefined
  return {
    at: now,
    count,
    until: statedUntil > now ? statedUntil : now + Math.round(pauseMs(count, random)),
    room: 1,
    failure,
    ...(isUnnamed || before?.isUnnamed ? { isUnnamed: true } : {}),
    met: rate && rate !== before?.rate ? { at: now, served: 0, waitedFor: 0 } : met,
    ...(rate ? { rate } : {}),
    ...(alone ? { alone } : {}),
  }
}

function withRefused({ served, refused }: Outcomes = NO_OUTCOMES): Outcomes {
  return { served, refused: refused + 1 }
}

/** Nobody waits any longer: refusals are chance. */
function open(pace: Pace, now: number): Pace {
  const { turn: _over, rate: _slow, nextAt: _due, ...rest } = pace
  return { ...rest, until: now, room: OPEN_ROOM, isChance: true, alone: NO_OUTCOMES }
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
  if (!before || (startedAt < before.at && !before.isChance)) return before
  const { turn: _over, ...rest } = before
  const { met, alone = NO_OUTCOMES } = before
  const isCounted = before.room <= 1 || before.isChance
  return {
    ...rest,
    ...(isCounted ? { alone: { ...alone, served: alone.served + 1 } } : {}),
    until: Math.min(before.until, now),
    room: Math.min(before.room + 1, OPEN_ROOM),
    met: { ...met, served: met.served + 1, waitedFor: met.waitedFor + (isWaitedFor ? 1 : 0) },
  }
}

/** A call goes: it takes the one turn after a pause, and its share of a known rate. */
export function withTurn(pace: Pace, by: string, now: number): Pace {
  const rate = pace.rate && rateAt(pace.rate, now)
  return {
    ...pace,
    ...(pace.room <= 1 ? { turn: { by, until: now + ADMITTED_MS } } : {}),
    ...(rate === undefined ? {} : { nextAt: Math.max(pace.nextAt ?? 0, now - burstMs(rate)) + 1_000 / rate }),
  }
}

/** Calls may be this much ahead of a known rate, in milliseconds: traffic comes unevenly. */
function burstMs(rate: number): number {
  return Math.max(0, 1_000 - 1_000 / rate)
}

/** The call that went first ended without a result. */
export function withoutTurn(pace: Pace | undefined, by: string): Pace | undefined {
  if (pace?.turn?.by !== by) return pace
  const { turn: _over, ...rest } = pace
  return rest
}

/** What is in force now; undefined once it is forgotten, or if the clock was set back. */
export function paceAt(pace: Pace, now: number): Pace | undefined {
  if (pace.at > now + CLOCK_TOLERANCE_MS) return undefined
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
