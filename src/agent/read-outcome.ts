import type { Usage } from '../failure/cli/spending.ts'
import type { Failure } from '../failure/failure.ts'
import { fingerprintOf } from '../failure/fingerprint/fingerprint.ts'
import { present } from '../failure/present.ts'
import { hideKnown, hideKnownIn } from '../failure/redact.ts'
import type { AgentAnswer, AgentFailure, AgentOutcome, Spent } from './outcome.ts'
import type { AgentSession } from './request.ts'
import { deedOf } from './run-effect.ts'
import { type EndFacts, failureOfRun, modelOf, throttleOf } from './run-failure.ts'
import type { RunProgress } from './run-progress.ts'
import { isLostSession, totalsBefore } from './session.ts'
import { authReasonOf, typedKindOf } from './typed-kind.ts'
import type { Worktree } from './worktree.ts'

/** Everything known about a run that was started. */
export interface Facts extends EndFacts {
  spent: Spent
  worktree: Worktree | undefined
}

/** What is known about a run that may not even have been started. */
type PartialFacts = Pick<Facts, 'settings' | 'request' | 'spent' | 'worktree'> & {
  [fact in 'launch' | 'progress' | 'earlyEnd']?: Facts[fact] | undefined
}

/** The outcome of a run that has ended. */
export function outcomeOf(facts: Facts): AgentOutcome {
  const failure = failureOfRun(facts)
  return failure ? failureOf(facts, failure) : answerOf(facts)
}

/** The outcome of a run that answered. */
function answerOf(facts: Facts): AgentAnswer {
  const { progress, result, launch } = facts
  const isPlain = launch.cli.profile === undefined
  const structured = structuredOf(facts)
  const throttle = throttleOf(facts)
  return {
    ok: true,
    text: hideKnown(isPlain ? result.stdout : progress.text),
    ...(structured === undefined ? {} : { structured: hideKnownIn(structured) }),
    ...(throttle ? { throttle: { ...throttle, provider: facts.settings.id } } : {}),
    sessionId: progress.sessionId ?? null,
    deniedTools: progress.deniedTools,
    ...told(facts),
  }
}

/** The CLI's structured answer; else the answer itself, if it was to be JSON. */
function structuredOf({ progress, launch }: Facts): unknown {
  if (progress.structured !== undefined || launch.options.jsonSchema === undefined) return progress.structured
  try {
    return JSON.parse(progress.text)
  } catch {
    return undefined
  }
}

/** The outcome of a failed run, with everything known about what it did. */
export function failureOf(facts: PartialFacts, failure: Failure): AgentFailure {
  const { settings, spent, progress, earlyEnd } = facts
  const model = modelOf(facts)
  const isLost = isLostSession(failure)
  const sessionId = isLost
    ? undefined
    : (progress?.sessionId ?? failure.sessionId ?? facts.request.session?.id)
  const outcome = typedKindOf(failure, {
    isOurRail: earlyEnd?.by === 'rail',
    hasResult: progress?.hasResult ?? false,
  })
  const { sessionId: _sessionId, ...rest } = failure
  const did = progress && deedOf({ request: facts.request, progress })
  const complete: Failure = {
    ...rest,
    provider: settings.id,
    ...present({ model }),
    fingerprint:
      failure.provider === settings.id
        ? failure.fingerprint
        : fingerprintOf({ provider: settings.id, texts: [{ value: failure.message, depth: 0 }] }),
    ...present({ outcome, sessionId }),
    ...(spent.costUsd === null ? {} : { costUsd: spent.costUsd }),
    ...(spent.turns === null ? {} : { turns: spent.turns }),
    ...(did === undefined || isLost ? {} : { did }),
  }
  const authReason = authReasonOf(complete)
  return {
    ok: false,
    failure: complete,
    ...present({ authReason }),
    ...told(facts, isLost),
  }
}

function told(facts: PartialFacts, isLost = false) {
  const { settings, launch, spent, worktree } = facts
  const session = isLost ? undefined : sessionOf(facts)
  const model = modelOf(facts)
  const { meta } = launch?.options ?? {}
  return {
    ...spent,
    provider: settings.id,
    ...present({ model, session, worktree, meta }),
  }
}

/** The session as it stands after this run, or during it. */
export function sessionOf({
  settings,
  request,
  launch,
  progress,
  spent,
  worktree,
}: PartialFacts): AgentSession | undefined {
  const id = progress?.sessionId ?? request.session?.id
  const did = progress && (isUnderstood(progress) ? deedOf({ request, progress }) : 'acted')
  if (id === undefined || !launch || launch.options.noSessionPersistence === true) return undefined
  const { totalUsd: before = null, totalUsage = null } = totalsBefore(settings.id, request, launch) ?? {}
  return {
    provider: settings.id,
    id,
    cwd: launch.cwd,
    totalUsd: spent.costUsd === null ? before : (before ?? 0) + spent.costUsd,
    totalUsage: addedUsage(totalUsage, spent.usage),
    depth: request.session?.depth ?? 0,
    hasWorked: (request.session !== undefined && request.session.hasWorked !== false) || isTouched(progress),
    ...present({ did, worktree }),
  }
}

function isUnderstood({ unknownEvents, brokenLines }: RunProgress): boolean {
  return unknownEvents === 0 && brokenLines === 0
}

/** True if something was done, or something was printed that is not understood. */
function isTouched(progress: RunProgress | undefined): boolean {
  return progress === undefined || progress.hasWorked || !isUnderstood(progress)
}

function addedUsage(before: Usage | null, more: Usage | null): Usage | null {
  if (!before || !more) return before ?? more
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cachedTokens: before.cachedTokens + more.cachedTokens,
  }
}
