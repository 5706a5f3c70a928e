import type { Failure } from '../failure/failure.ts'

/** What a probe function is given. */
export interface ProbeContext {
  provider: string
  /** Aborted when the probe takes too long or is no longer wanted. */
  signal: AbortSignal
}

/** A cheap check of whether a provider can serve: exactly one of a function or a command. */
export interface ProbeSettings {
  /** Asks the provider for something small and returns its answer. An empty or blank value does not count as an answer. */
  run?: (context: ProbeContext) => unknown
  /** A program and its arguments, run without a shell. What it prints is the answer. */
  command?: readonly [string, ...string[]]
  /** Working folder of the command. Default: this process's. */
  cwd?: string
  /** The whole environment of the command. Default: this process's. */
  env?: Record<string, string | undefined>
  /** Time limit in milliseconds, after which the probe and its whole process tree are ended. Default 15 s. */
  timeoutMs?: number
}

export const PROBE_TIMEOUT_DEFAULT_MS = 15_000

/** How a probe ended. */
export interface ProbeResult {
  provider: string
  /**
   * `answered`: it can serve. `failed`: counts against it. `environment`: our own setup is at fault, which says nothing about
   * the provider. `skipped`: it was not asked.
   */
  outcome: 'answered' | 'failed' | 'environment' | 'skipped'
  /** For people. */
  reason: string
  failure?: Failure
  durationMs: number
}

/** Lines that agent CLIs print when they start: a run that stops there answered nothing. */
const BEGINNING =
  /^\s*\{\s*"type"\s*:\s*"(?:step_start|system|init|session|thread\.started|turn\.started|rate_limit_event)"/

/** Whether a result contains an answer: exit code 0 alone is not one. */
export function isAnswer(value: unknown): boolean {
  if (typeof value !== 'string') return value !== undefined && value !== null && value !== false
  return value.split('\n').some(line => line.trim() !== '' && !BEGINNING.test(line))
}
