import { Cron } from 'croner'
import { WrongArgument } from '../failure/own-error.ts'
import { LocalCron } from './local-cron.ts'

/** A valid cron expression in words, for messages. */
export const CRON_FORM =
  'a cron expression of five fields, or six with seconds in front, such as "0 3 * * *", or a name such as "@daily"'

/** Five or six fields, or a name. Does not check the fields. */
export const CRON_SHAPE = /^\s*(?:@\w+|\S+(?:\s+\S+){4,5})\s*$/

/** Any start will do: an expression without a year recurs, or never occurs. */
const SOME_TIME = new Date(Date.UTC(2024, 0, 1))

/** What is wrong with an expression, in a few words; undefined if it is valid. */
export function cronProblem(expression: string): string | undefined {
  if (!CRON_SHAPE.test(expression)) return 'it needs five or six fields'
  try {
    const never = cronOf(expression, 'UTC').nextRun(SOME_TIME) === null
    return never ? 'this time never occurs' : undefined
  } catch (error) {
    const { message } = error as Error
    return message.replace(/^CronPattern: /, '').replace(/\.$/, '')
  }
}

/**
 * The times of a cron expression, in epoch milliseconds. Clock changes neither drop nor repeat a time of day; an expression
 * for every n hours or minutes keeps its interval instead.
 */
export class CronTimes {
  readonly #times: Pick<LocalCron, 'after' | 'upTo'>

  /**
   * Throws a TypeError that says what is wrong.
   * @param timeZone IANA zone in which the fields are read
   */
  constructor(expression: string, timeZone: string) {
    const problem = cronProblem(expression) ?? zoneProblem(timeZone)
    if (problem !== undefined)
      throw new WrongArgument(
        `invalid cron expression ${JSON.stringify(expression)} in ${JSON.stringify(timeZone)}: ${problem}`,
      )
    this.#times = namesHours(expression)
      ? new LocalCron(cronOf(expression, 'UTC'), timeZone)
      : new EvenCron(cronOf(expression, timeZone))
  }

  /** The first time after this one; undefined if the calendar has none. */
  after(at: number): number | undefined {
    return this.#times.after(at)
  }

  /** The last time that is not after this one. */
  upTo(at: number): number | undefined {
    return this.#times.upTo(at)
  }
}

/** The times of an expression without fixed hours: they continue through a clock change as if there were none. */
class EvenCron {
  readonly #cron: Cron

  constructor(cron: Cron) {
    this.#cron = cron
  }

  after(at: number): number | undefined {
    return this.#cron.nextRun(new Date(at))?.getTime()
  }

  upTo(at: number): number | undefined {
    // The library counts whole seconds and excludes the given one.
    return this.#cron.previousRuns(1, new Date(at + 1_000))[0]?.getTime()
  }
}

/** Whether the expression names times of day, rather than every n hours. */
function namesHours(expression: string): boolean {
  const fields = expression.trim().split(/\s+/)
  const hours = fields.length === 1 ? (fields[0] === '@hourly' ? '*' : '0') : fields.at(-4)
  return !hours?.includes('*')
}

function cronOf(expression: string, timezone: string): Cron {
  // Without the mode, a date would count as a one-time run, and a seventh field as years.
  return new Cron(expression, { timezone, paused: true, mode: '5-or-6-parts' })
}

function zoneProblem(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return undefined
  } catch {
    return 'unknown time zone'
  }
}
