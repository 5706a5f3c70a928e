import { WrongArgument } from '../failure/own-error.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { Gate } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { Policies } from '../verdict/decide.ts'
import { COUNCIL_MIN_RETRY_BUDGET_MS } from '../verdict/presets/council.ts'
import type { CallContext } from './context.ts'
import type { CouncilEvent } from './council-event.ts'
import type { CouncilAnswers } from './council-result.ts'
import type { CallOptions } from './options.ts'
import type { PassThrough } from './pass-through.ts'

/** Time for one member, over all its tries and waits. */
export const MEMBER_BUDGET_DEFAULT_MS = 270_000
/** Time for the aggregator, counted from when the members have ended. */
export const AGGREGATOR_BUDGET_DEFAULT_MS = 120_000
/** What the computed cap adds to the sum of its phases. */
const CAP_MARGIN_MS = 30_000
/** With fewer answers a council fails, even if the quorum is lower. */
export const FEWEST_ANSWERS = 2

/** A member of a council. */
export interface CouncilMember<T> {
  /** Its name in results and in the summary; unique in its council. */
  name: string
  /** Asks the member the council's question. The signal is aborted as soon as the answer is no longer wanted. */
  ask: (context: CallContext, prompt: string) => T | Promise<T>
  /** The provider whose health it counts for. Default: none. */
  provider?: string | undefined
  model?: string | undefined
  /** Identifies the key or login it uses; see `credential` of a call. Default: the one in the provider's settings. */
  credential?: string | undefined
}

/** Combines the answers into one. */
export interface Aggregator<T, A> {
  /** @param answers who took part and what they said; `answers.summary` is a prompt for the aggregator */
  aggregate: (answers: CouncilAnswers<T>, context: CallContext) => A | Promise<A>
  /** Milliseconds, counted from when the members have ended. Default 120 s. */
  budgetMs?: number | undefined
  provider?: string | undefined
  model?: string | undefined
  /** Identifies the key or login it uses; see `credential` of a call. Default: the one in the provider's settings. */
  credential?: string | undefined
}

/** Settings of a council. */
export interface CouncilOptions<T, A = never> {
  /** The question, for the members and for the summary. */
  prompt: string
  /** Renders a member's answer for the summary. Default: a string unchanged, anything else as JSON. */
  textOf?: ((value: T) => string) | undefined
  /**
   * How many answers are enough, from 2 to all; the rest is then no longer waited for. An invalid value causes a warning and
   * means all. Default: all.
   */
  quorum?: number | undefined
  /** Milliseconds for one member in total. Default 270 s. */
  budgetMs?: number | undefined
  /**
   * A member is tried again only with more than this many milliseconds left of its budget; 0 allows it as long as any time is
   * left. Default 30 s.
   */
  minRetryBudgetMs?: number | undefined
  /** Milliseconds that stragglers have after the quorum. Default 0. */
  graceMs?: number | undefined
  /** Milliseconds for everything. A value below the sum of the phases is kept, with a warning. Default: that sum plus 30 s. */
  hardCapMs?: number | undefined
  aggregator?: Aggregator<T, A> | undefined
  /** Errors that are not failures, as in `call`. If a member throws one, the council ends and rejects with it. */
  passThrough?: PassThrough | undefined
  /** Overrides of the `council` preset, the most specific first. */
  policy?: Policies | undefined
  /** Aborting ends the council and every member at once. */
  signal?: AbortSignal | undefined
  onEvent?: ((event: CouncilEvent) => void) | undefined
  /** Called for settings that are probably a mistake. Default: a process warning. */
  onWarning?: ((warning: string) => void) | undefined
  /** Classifies members' failures in place of the built-in classifier, as in `call`. Default: none. */
  classifier?: NonNullable<CallOptions['classifier']> | undefined
  /** More for the built-in classifier: signatures, the time zone of clock times. */
  classify?: NonNullable<CallOptions['classify']> | undefined
  /** Health of providers. Default: the process's own. */
  health?: Gate | undefined
  /** The clock. Default: this machine's. */
  time?: Time | undefined
  /** Returns a number in [0, 1). Default: Math.random. */
  random?: (() => number) | undefined
}

const COUNCIL_NAMES = namesOf<CouncilOptions<unknown>>({
  prompt: true,
  textOf: true,
  quorum: true,
  budgetMs: true,
  minRetryBudgetMs: true,
  graceMs: true,
  hardCapMs: true,
  aggregator: true,
  passThrough: true,
  policy: true,
  signal: true,
  onEvent: true,
  onWarning: true,
  classifier: true,
  classify: true,
  health: true,
  time: true,
  random: true,
})
const MEMBER_NAMES = namesOf<CouncilMember<unknown>>({
  name: true,
  ask: true,
  provider: true,
  model: true,
  credential: true,
})
const AGGREGATOR_NAMES = namesOf<Aggregator<unknown, unknown>>({
  aggregate: true,
  budgetMs: true,
  provider: true,
  model: true,
  credential: true,
})

/** The numbers of a council, with defaults filled in. */
export interface CouncilLimits {
  quorum: number
  budgetMs: number
  minRetryBudgetMs: number
  aggregatorBudgetMs: number
  graceMs: number
  hardCapMs: number
}

/** Fills in the numbers. Warns about probable mistakes, throws for impossible values. */
export function councilLimits<T, A>(
  members: readonly CouncilMember<T>[],
  options: CouncilOptions<T, A>,
  warn: (warning: string) => void,
): CouncilLimits {
  checkMembers(members)
  checkNames('council', options, COUNCIL_NAMES)
  for (const member of members)
    checkNames(`council: member ${JSON.stringify(member.name)}`, member, MEMBER_NAMES)
  if (options.aggregator) checkNames('council: aggregator', options.aggregator, AGGREGATOR_NAMES)
  if (options.prompt !== undefined && String(options.prompt).trim() === '')
    throw new WrongArgument('council: prompt must be a non-blank string')
  if (options.aggregator && typeof options.aggregator.aggregate !== 'function')
    throw new WrongArgument('council: the aggregator needs a function `aggregate`')
  const budgetMs = length('budgetMs', options.budgetMs, MEMBER_BUDGET_DEFAULT_MS)
  const aggregatorBudgetMs = length(
    'aggregator.budgetMs',
    options.aggregator?.budgetMs,
    AGGREGATOR_BUDGET_DEFAULT_MS,
  )
  const graceMs = Math.max(0, number('graceMs', options.graceMs, 0))
  const computed = budgetMs + aggregatorBudgetMs + graceMs + CAP_MARGIN_MS
  const hardCapMs = length('hardCapMs', options.hardCapMs, computed)
  if (hardCapMs < computed)
    warn(
      `hardCapMs ${hardCapMs} is less than the phases may take in total, ${computed} (budget ${budgetMs}, ` +
        `aggregator ${aggregatorBudgetMs}, grace ${graceMs}, margin ${CAP_MARGIN_MS}); keeping it`,
    )
  return {
    quorum: quorumOf(members.length, options.quorum, warn),
    budgetMs,
    minRetryBudgetMs: nonNegative(
      'minRetryBudgetMs',
      number('minRetryBudgetMs', options.minRetryBudgetMs, COUNCIL_MIN_RETRY_BUDGET_MS),
    ),
    aggregatorBudgetMs,
    graceMs,
    hardCapMs,
  }
}

function quorumOf(members: number, quorum: number | undefined, warn: (warning: string) => void): number {
  if (quorum === undefined) return members
  if (Number.isInteger(quorum) && quorum >= FEWEST_ANSWERS && quorum <= members) return quorum
  warn(
    `quorum ${JSON.stringify(quorum)} is not a whole number from ${FEWEST_ANSWERS} to ${members}; waiting for all`,
  )
  return members
}

function checkMembers(members: readonly CouncilMember<unknown>[]): void {
  if (!Array.isArray(members) || members.length < FEWEST_ANSWERS)
    throw new WrongArgument(`council: needs at least ${FEWEST_ANSWERS} members`)
  const names = new Set<string>()
  members.forEach(({ name, ask }, index) => {
    if (typeof name !== 'string' || name.trim() === '')
      throw new WrongArgument(`council: members[${index}] needs a non-blank name`)
    if (typeof ask !== 'function')
      throw new WrongArgument(`council: member ${JSON.stringify(name)} needs a function \`ask\``)
    if (names.has(name)) throw new WrongArgument(`council: two members are called ${JSON.stringify(name)}`)
    names.add(name)
  })
}

function length(name: string, value: number | undefined, fallback: number): number {
  const ms = number(name, value, fallback)
  if (ms > 0) return ms
  throw new WrongArgument(`council: ${name} must be more than 0 milliseconds, not ${ms}`)
}

function nonNegative(name: string, ms: number): number {
  if (ms >= 0) return ms
  throw new WrongArgument(`council: ${name} must be 0 milliseconds or more, not ${ms}`)
}

function number(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  throw new WrongArgument(`council: ${name} must be a number of milliseconds, not ${JSON.stringify(value)}`)
}
