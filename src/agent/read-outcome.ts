import { classify, throttleHint } from '../failure/classify.ts'
import type { Usage } from '../failure/cli/spending.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { fingerprintOf } from '../failure/fingerprint/fingerprint.ts'
import { present } from '../failure/present.ts'
import { hideKnown, hideKnownIn } from '../failure/redact.ts'
import type { ProcessResult } from '../process/run.ts'
import { authReasonOf } from './auth-reason.ts'
import type { EarlyEnd } from './early-end.ts'
import type { Launch } from './launch.ts'
import type { AgentAnswer, AgentFailure, Spent } from './outcome.ts'
import { ownFailure } from './own-failure.ts'
import type { AgentRequest, AgentSession } from './request.ts'
import { deedOf, effectOfRun } from './run-effect.ts'
import type { RunProgress } from './run-progress.ts'
import { isLostSession, sessionLost } from './session-lost.ts'
import { totalsBefore } from './session-totals.ts'
import type { AgentSettings } from './settings.ts'
import type { AnswerEnd } from './side-record.ts'
import { signaturesFor } from './signatures-for.ts'
import { typedKindOf } from './typed-kind.ts'
import { withTimesOf } from './watch.ts'
import type { Worktree } from './worktree.ts'

/** Everything known about a run that was started. */
export interface Facts {
  settings: AgentSettings
  request: AgentRequest
  launch: Launch
  progress: RunProgress
  result: ProcessResult
  earlyEnd: EarlyEnd | undefined
  /** What it was waiting for on its own when it ended; its output need not say. */
  waitingOut: Failure | null
  /** How the model's last answer ended, according to the CLI's side record; undefined if that does not say. */
  answerEnd: AnswerEnd | undefined
  spent: Spent
  context: ClassifyContext
  worktree: Worktree | undefined
}

/** What is known about a run that may not even have been started. */
type PartialFacts = Pick<Facts, 'settings' | 'request' | 'spent' | 'worktree'> & {
  [fact in 'launch' | 'progress' | 'result' | 'earlyEnd']?: Facts[fact] | undefined
}

/** A text this long is an answer, no matter what it talks about. */
const LONG_ANSWER = 10_000

/** The failure that a run ended with; undefined if it answered. */
export function failureOfRun(facts: Facts): Failure | undefined {
  const { progress, earlyEnd, launch, result } = facts
  const isStopped = earlyEnd?.by === 'rail' || earlyEnd?.by === 'caller'
  const unwhole = earlyEnd === undefined ? endedBadly(facts) : undefined
  // An output longer than what we keep of it would look cut off.
  if (!isStopped && unwhole === undefined && progress.hasAnswered && progress.text.length > LONG_ANSWER)
    return undefined
  const failure = classified(facts)
  if (failure) {
    const known = unwhole !== undefined && isVague(failure) ? { ...unwhole, ...spentIn(failure) } : failure
    return lostSession(facts) ?? { ...known, effect: effectOfRun(facts, known) }
  }
  if (unwhole) return { ...unwhole, effect: effectOfRun(facts, unwhole) }
  if (launch.cli.profile === undefined) return undefined
  if (progress.end.ended === 'succeeded') return isEmpty(progress) ? emptyAnswer(facts) : undefined
  if (!launch.cli.profile?.endsWithEvent && progress.text !== '') return undefined
  return unreadable(facts, result)
}

/** A bad end of the last answer that the output hides. */
function endedBadly({ answerEnd, launch, settings }: Facts): Failure | undefined {
  if (answerEnd === undefined || answerEnd === 'whole') return undefined
  const { kind, what } = BAD_ENDS[answerEnd]
  return ownFailure({
    kind,
    rule: 'answer_end',
    provider: settings.id,
    message: `the model's last answer ${what}, according to ${launch.cli.name}'s own records`,
  })
}

const BAD_ENDS = {
  limit: { kind: 'max_tokens', what: 'was cut at its maximum length' },
  filtered: { kind: 'content_policy', what: 'was withheld or cut by a filter' },
  unfinished: { kind: 'stream_cut', what: 'was cut off before its end' },
} as const

/** True for a failure that says there was no complete answer, but not why: how the answer ended says more. */
function isVague({ class: kindOf, kind }: Failure): boolean {
  return kindOf === 'transient' && (kind === 'bad_json' || kind === 'stream_cut' || kind === 'server_error')
}

function classified(facts: Facts): Failure | null {
  const { earlyEnd, result, progress } = facts
  // It reported its end before we ended it: that says more than the notice that made us act.
  const told = earlyEnd?.by === 'watch' && progress.end.ended === 'failed' ? printed(facts, {}) : null
  if (told && told.class !== 'unknown' && told.class !== 'aborted') return told
  const failure = printed(facts, {
    aborted: earlyEnd?.by === 'caller',
    timedOut: result.timedOut || earlyEnd?.by === 'watch' || earlyEnd?.by === 'deadline',
    ...(earlyEnd?.by === 'rail' ? { rail: earlyEnd.rail } : {}),
  })
  if (!failure) return null
  if (earlyEnd?.by === 'watch' && earlyEnd.cause && earlyEnd.cause.class !== 'unknown')
    return { ...earlyEnd.cause, ...spentIn(failure) }
  if (failure.origin === 'timer') return ofTimer(failure, facts)
  // It stopped in the middle of a line: the rest was printed, but cannot be read.
  const isCutOff = failure.kind === 'stream_cut' && result.exitCode === 0 && progress.end.ended === undefined
  if (isCutOff && progress.brokenLines > 0) return unreadable(facts, result)
  // Its log had the time that its output leaves out.
  return withTimesOf(ofProvider(afterSilence(failure, progress), facts), facts.waitingOut)
}

/** A refused or lost connection shows sooner; HTTP clients wait this long for an answer, or longer. In milliseconds. */
const LONG_SILENCE_MS = 55_000

/** It says only that nothing was fetched, after a silence as long as a client's timeout: it timed out. */
function afterSilence(failure: Failure, { silentMs }: RunProgress): Failure {
  const isUnexplained = failure.kind === 'network' && failure.evidence.rule === UNFETCHED
  if (!isUnexplained || silentMs < LONG_SILENCE_MS) return failure
  return { ...failure, class: 'timeout', kind: 'timeout' }
}

const UNFETCHED = 'net.unfetched'

/** Time was up, and the output does not say what it was waiting for. */
function ofTimer(failure: Failure, facts: Facts): Failure {
  const { waitingOut, earlyEnd, result } = facts
  if (waitingOut && waitingOut.class !== 'unknown') return { ...waitingOut, ...spentIn(failure) }
  if (earlyEnd?.by === 'watch') return { ...unknownCause(facts, earlyEnd.cause), ...spentIn(failure) }
  return result.stalled ? { ...failure, kind: 'stall' } : ofProvider(failure, facts)
}

/** It was ended during its own retries, for an unrecognised cause: a person must look, waiting does not help. */
function unknownCause({ settings, launch }: Facts, cause: Failure | null): Failure {
  const message = `${launch.cli.name} kept retrying and was ended; the cause is not recognised`
  if (!cause) return ownFailure({ kind: 'unknown', rule: 'self_retry', provider: settings.id, message })
  return { ...cause, message: `${message}: ${cause.message}` }
}

/**
 * A plain program's bug is for its caller to fix. An agent is a provider: when it breaks, another may work, and a person must look
 * at an unrecognised failure.
 */
function ofProvider(failure: Failure, { launch, settings }: Facts): Failure {
  if (failure.kind === 'code_bug') return { ...failure, class: 'unknown', kind: 'crash' }
  const kind = failure.kind === 'command_failed' ? 'unknown' : failure.kind
  // For a command, only its id identifies the provider.
  const isCommand = failure.class === 'unknown' && launch.cli.profile === undefined
  return { ...failure, kind, ...(isCommand ? { provider: settings.id } : {}) }
}

/** What the output says, together with what we did ourselves. */
function printed(facts: Facts, own: NonNullable<ClassifyContext['own']>): Failure | null {
  return classify(outputOf(facts), { ...contextOf(facts), own })
}

function outputOf(facts: Facts): Pick<ProcessResult, 'exitCode' | 'signal' | 'stdout' | 'stderr'> {
  const { exitCode, signal, stdout } = facts.result
  return { exitCode, signal, stdout, stderr: withoutNoise(facts) }
}

function contextOf(facts: Facts): ClassifyContext {
  const { context, settings } = facts
  const signatures = signaturesFor(settings.id, context)
  return { ...context, ...signatures, provider: nameFor(facts), model: modelOf(facts) }
}

function withoutNoise({ launch: { cli }, result: { stderr } }: Facts): string {
  if (!cli.isNoise) return stderr
  return stderr
    .split('\n')
    .filter(line => !cli.isNoise?.(line))
    .join('\n')
}

/** The name by which the classifier knows the CLI. */
function nameFor({ settings, launch }: Facts): string {
  return launch.cli.profile?.names[0] ?? settings.id
}

function modelOf({ progress, launch, settings }: PartialFacts): string | undefined {
  return progress?.model ?? launch?.options.model ?? settings.model
}

function spentIn({ sessionId, costUsd, turns, exitCode, signal }: Failure): Partial<Failure> {
  return present({ sessionId, costUsd, turns, exitCode, signal })
}

/** The CLI no longer has the session to resume, so nothing was begun. */
function lostSession({ request, launch, result, settings }: Facts): Failure | undefined {
  const id = request.session?.id ?? launch.options.resume
  if (id === undefined || !launch.cli.lostSession?.test(`${result.stderr}\n${result.stdout}`))
    return undefined
  return sessionLost(settings.id, `${launch.cli.name} no longer has the session ${id}`)
}

/** True for neither words nor deeds. An agent that used a tool may have done what was asked without saying so. */
function isEmpty({ text, structured, hasUsedTool }: RunProgress): boolean {
  return text.trim() === '' && structured === undefined && !hasUsedTool
}

function emptyAnswer(facts: Facts): Failure {
  const { launch, settings } = facts
  const failure = ownFailure({
    kind: 'bad_json',
    rule: 'empty_answer',
    provider: settings.id,
    message: `${launch.cli.name} reports success, but its model said nothing and used no tool`,
  })
  return { ...failure, effect: effectOfRun(facts, failure) }
}

function unreadable({ launch, settings }: Facts, { stdoutBytes }: ProcessResult): Failure {
  const what = stdoutBytes === 0 ? 'printed nothing' : 'printed no readable result'
  return ownFailure({
    kind: 'bad_json',
    rule: 'no_result',
    effect: 'maybe',
    provider: settings.id,
    message: `${launch.cli.name} ended with exit code 0 and ${what}`,
  })
}

/** The outcome of a run that answered. */
export function answerOf(facts: Facts): AgentAnswer {
  const { progress, result, launch } = facts
  const isPlain = launch.cli.profile === undefined
  const structured = structuredOf(facts)
  const throttle = throttleHint(outputOf(facts), contextOf(facts))
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
