import type { Judge } from '../../call/attempt/judge.ts'
import type { ResumeFrom } from '../../capability/context.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import { classifyContextOf } from '../queue-deps.ts'
import type { Counters } from './counters.ts'
import type { InProcess } from './in-process.ts'
import type { RunEnd } from './run-end.ts'
import type { RunScope } from './run-scope.ts'
import type { Subject } from './subject.ts'

/** A run whose work can be tried. Steps read it and return what they decide as a {@link Step}. */
export interface Run extends Omit<RunScope, 'close'> {
  readonly subject: Subject
  readonly counters: Counters
  /** Decides for the operation. */
  readonly judge: Judge
  /** Decides for the caller's process; undefined if no caller waits for the run. */
  readonly inProcess: InProcess | undefined
}

/** Where the next try of a run goes, and what it continues from. */
export interface NextTry {
  /** Providers tried in this run. */
  readonly tried: ReadonlySet<string>
  /** The only provider that may serve it. */
  readonly again?: string | undefined
  /** The session that it resumes. */
  readonly resume?: ResumeFrom | undefined
  /** The last failure of this run, and what it was classified from. */
  readonly last?: { failure: Failure; cause: unknown } | undefined
  /** Stored with the attempts of this run. */
  readonly note?: unknown
}

/** What a step of a run returns: the end of the run, or where it continues. */
export type Step = RunEnd | NextTry

export function isEnd(step: Step): step is RunEnd {
  return 'end' in step
}

/** The classifier's context for a failure of this provider. */
export function classifyContext(
  { deps, subject }: Pick<Run, 'deps' | 'subject'>,
  provider: string | undefined,
): ClassifyContext {
  return classifyContextOf(deps, subject.capability, provider, subject.model)
}

/** Stores an attempt that does not end the run, and adds it to the history. Returns false if the run is stale. */
export async function append(
  { writer, subject, claimed }: Pick<Run, 'writer' | 'subject' | 'claimed'>,
  attempt: NewAttempt,
  lostRunner = false,
): Promise<boolean> {
  if (!(await writer.append(attempt, lostRunner))) return false
  subject.history.add(attempt, claimed.fence.run)
  return true
}
