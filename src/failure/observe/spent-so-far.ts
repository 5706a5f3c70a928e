import type { AgentEvent } from '../cli/event.ts'
import { SESSION_FIELDS, spendingOf } from '../cli/events.ts'
import { PROFILES } from '../cli/profiles.ts'
import { RunTally } from '../cli/tally.ts'
import { isPlausibleCost, isPlausibleCount } from '../plausible.ts'
import { isSessionId } from '../session-id.ts'
import { matchesOf } from '../text/matches.ts'
import { anyOf, mayContain, prefilterOf } from '../text/prefilter.ts'
import type { Observation } from './observation.ts'
import type { Fields } from './read.ts'

const TOLD_IN_WORDS = PROFILES.flatMap(({ text }) => (text?.session || text?.price ? [text] : []))
const TEXT_WORDS = anyOf('--resume', ...TOLD_IN_WORDS.flatMap(({ words }) => words))

/** How CLIs of every kind say how to resume. */
const RESUME = /--resume[= ]([\w-]{8,64})\s*$/m

/** What an agent run used up, gathered from its output: a failed run is paid for, and may be resumed. */
export class SpentSoFar {
  #sessionId: string | undefined
  #priceUsd: number | undefined
  readonly #tally = new RunTally()

  event(event: AgentEvent): void {
    this.#sessionId = first(event.fields, SESSION_FIELDS, isSessionId) ?? this.#sessionId
    const spending = spendingOf(event)
    if (spending !== undefined) this.#tally.add(spending)
  }

  /** Facts that some CLIs print in words: a hint for resuming, the price of the session. */
  text(text: string): void {
    if (text === '' || !mayContain(prefilterOf(text), TEXT_WORDS)) return
    for (const { session, price } of TOLD_IN_WORDS) {
      const told = session?.exec(text)?.[1]
      if (isSessionId(told)) this.#sessionId ??= told
      const usd = price && [...matchesOf(price, text)].at(-1)?.[1]
      if (usd !== undefined) this.#priceUsd ??= Number(usd)
    }
    const told = RESUME.exec(text)?.[1]
    if (isSessionId(told)) this.#sessionId ??= told
  }

  writeTo(observation: Observation): void {
    const { turns, usd = this.#priceUsd } = this.#tally
    if (this.#sessionId !== undefined) observation.sessionId = this.#sessionId
    if (isPlausibleCost(usd)) observation.costUsd = usd
    if (isPlausibleCount(turns)) observation.turns = turns
  }
}

/** What a single error, result or body says about session, cost and turns; the outermost one counts. */
export function readSpent(observation: Observation, fields: Fields): void {
  const sessionId = first(fields, SESSION_FIELDS, isSessionId)
  const costUsd = first(fields, ['total_cost_usd', 'cost_usd'], isPlausibleCost)
  const turns = first(fields, ['num_turns', 'numTurns'], isPlausibleCount)
  if (sessionId !== undefined) observation.sessionId ??= sessionId
  if (costUsd !== undefined) observation.costUsd ??= costUsd
  if (turns !== undefined) observation.turns ??= turns
}

function first<T>(
  fields: Fields,
  names: readonly string[],
  is: (value: unknown) => value is T,
): T | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (is(value)) return value
  }
  return undefined
}
