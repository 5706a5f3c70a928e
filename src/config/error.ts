import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** One mistake in a config: where it is, and what would be right. */
export interface Problem {
  /** The file; or another source of the value, such as the name of an environment variable. */
  file: string
  /** Counted from 1. Absent if the value does not come from a file. */
  line?: number
  /** Counted from 1, with `line`. */
  column?: number
  /** The value's path, such as `provider[0].caps[1].usd`; empty for the file as a whole. */
  path: string
  /** One sentence without the place; no secrets. */
  message: string
}

/** A problem in one line: `mulligan.toml:3:1: …`. */
export function problemText({ file, line, column, message }: Problem): string {
  return `${line === undefined ? file : `${file}:${line}:${column}`}: ${message}`
}

/** An invalid config. The message says for every mistake where it is, what is wrong and what would be right. */
export class ConfigError extends Error implements MeaningfulError {
  override name = 'ConfigError'
  readonly code = 'CONFIG'
  /** The file, or the place in it. */
  readonly file: string
  /** All mistakes, in order of their place. */
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
