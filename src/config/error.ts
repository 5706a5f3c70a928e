import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** One mistake in a config: where it stands, and what would be right. */
export interface Problem {
  /** The file; or what else the value was taken from, such as the name of an environment variable. */
  file: string
  /** Counted from 1. Absent where the value does not come from a file. */
  line?: number
  /** Counted from 1, with `line`. */
  column?: number
  /** The value in question, as in `provider[0].caps[1].usd`; empty where it is about the file as a whole. */
  path: string
  /** One sentence without the place; no secrets. */
  message: string
}

/** A problem in one line: `mulligan.toml:3:1: …`. */
export function problemText({ file, line, column, message }: Problem): string {
  return `${line === undefined ? file : `${file}:${line}:${column}`}: ${message}`
}

/** A config that cannot be used: says for every mistake which file, where in it, what is wrong and what would be right. */
export class ConfigError extends Error implements MeaningfulError {
  override name = 'ConfigError'
  readonly code = 'CONFIG'
  /** The file, or the place in it. */
  readonly file: string
  /** All mistakes, in the order of their places. */
  readonly problems: readonly Problem[]

  constructor(file: string, problem: string | readonly Problem[], options?: ErrorOptions) {
    const problems = typeof problem === 'string' ? [{ file, path: '', message: problem }] : problem
    super(problems.map(problemText).join('\n'), options)
    this.file = file
    this.problems = problems
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}
