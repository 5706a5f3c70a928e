import type { Failure } from '../failure/failure.ts'

/** What a probe function is given. */
export interface ProbeContext {
  provider: string
  /** Aborted when the probe takes too long, or is no longer wanted. */
  signal: AbortSignal
}

/** A cheap check of whether a provider can serve: a function or a command, exactly one of them. */
export interface ProbeSettings {
  /** Asks the provider for something small and gives its answer. Nothing, or only blanks, is no answer. */
  run?: (context: ProbeContext) => unknown
  /** A program and its arguments, without a shell. What it prints is the answer. */
  command?: readonly [string, ...string[]]
  /** Working folder of the command. Default that of this process. */
  cwd?: string
  /** Whole environment of the command. Default that of this process. */
  env?: Record<string, string | undefined>
  /** Longest time, in milliseconds; then the probe is ended, its whole tree of processes included. Default 15 s. */
  timeoutMs?: number
}

export const PROBE_TIMEOUT_DEFAULT_MS = 15_000

/** How a probe ended. */
export interface ProbeResult {
  provider: string
  /**
   * `answered`: it can serve. `failed`: counted against it. `environment`: our own set-up is at fault, which says
   * nothing about the provider. `skipped`: it was not asked.
   */
  outcome: 'answered' | 'failed' | 'environment' | 'skipped'
  /** For a reader. */
  reason: string
  failure?: Failure
  durationMs: number
}

/** Lines with which agent CLIs say that they begin: a run that stops there answered nothing. */
const BEGINNING =
  /^\s*\{\s*"type"\s*:\s*"(?:step_start|system|init|session|thread\.started|turn\.started|rate_limit_event)"/

/** Whether there is an answer in what came back: exit code 0 alone is none. */
export function isAnswer(value: unknown): boolean {
  if (typeof value !== 'string') return value !== undefined && value !== null && value !== false
  return value.split('\n').some(line => line.trim() !== '' && !BEGINNING.test(line))
}
