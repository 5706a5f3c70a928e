import { namesOf } from '../option/check-names.ts'
import type { RunNowOptions } from './run-now.ts'
import type { RunnerOptions } from './runner.ts'
import type { Submission, SubmitOneOptions } from './submission.ts'
import type { HandOverOptions } from './tried-elsewhere.ts'

const KEPT = {
  key: true,
  keyRetentionMs: true,
  priority: true,
  providers: true,
  session: true,
  source: true,
  context: true,
  maxRetries: true,
  retryForMs: true,
  trace: true,
} as const
const SUBMIT = { ...KEPT, at: true, unchecked: true } as const

/** The options of `submit`. */
export const SUBMIT_NAMES = namesOf<SubmitOneOptions>({ ...SUBMIT, client: true })
/** The fields of an operation that `submitMany` takes. */
export const SUBMISSION_NAMES = namesOf<Submission>({ ...SUBMIT, capability: true, params: true })
/** The options of `run`. */
export const RUN_NAMES = namesOf<RunNowOptions>({
  ...KEPT,
  budgetMs: true,
  waitHereMs: true,
  hearBy: true,
  onBegun: true,
  signal: true,
  release: true,
  onEvent: true,
  onSpent: true,
})
/** The options of `handOver`. */
export const HAND_OVER_NAMES = namesOf<HandOverOptions>({
  ...KEPT,
  provider: true,
  tries: true,
  model: true,
  credential: true,
  hearBy: true,
  isReported: true,
})
/** The options of `runner`. */
export const RUNNER_NAMES = namesOf<RunnerOptions>({
  concurrency: true,
  label: true,
  cron: true,
  onRun: true,
})
