import { classify, throttleHint } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { ProcessResult } from '../process/run.ts'
import { withAdvice } from './advice.ts'
import { ownFailure } from './own-failure.ts'
import { effectOfRun, type RunFacts } from './run-effect.ts'
import type { RunProgress } from './run-progress.ts'
import { sessionLost } from './session.ts'
import type { AgentSettings } from './settings.ts'
import type { AnswerEnd } from './side-record.ts'
import { withTimesOf } from './watch.ts'

/** Everything that tells how a run ended. */
export interface EndFacts extends RunFacts {
  settings: AgentSettings
  /** What it was waiting for on its own when it ended; its output need not say. */
  waitingOut: Failure | null
  /** How the model's last answer ended, according to the CLI's side record; undefined if that does not say. */
  answerEnd: AnswerEnd | undefined
  context: ClassifyContext
}

/** A text this long is an answer, no matter what it talks about. */
const LONG_ANSWER = 10_000

/** The failure that a run ended with; undefined if it answered. */
export function failureOfRun(facts: EndFacts): Failure | undefined {
  const { progress, earlyEnd, launch, result } = facts
  const isStopped = earlyEnd?.by === 'rail' || earlyEnd?.by === 'caller'
  const unwhole = earlyEnd === undefined ? endedBadly(facts) : undefined
  // An output longer than what we keep of it would look cut off.
  if (!isStopped && unwhole === undefined && progress.hasAnswered && progress.text.length > LONG_ANSWER)
    return undefined
  const failure = classified(facts)
  if (failure) {
    const known = unwhole !== undefined && isVague(failure) ? { ...unwhole, ...spentIn(failure) } : failure
    return lostSession(facts) ?? { ...withAdvice(known), effect: effectOfRun(facts, known) }
  }
  if (unwhole) return { ...unwhole, effect: effectOfRun(facts, unwhole) }
  if (launch.cli.profile === undefined) return undefined
  if (progress.end.ended === 'succeeded') return isEmpty(progress) ? emptyAnswer(facts) : undefined
  if (!launch.cli.profile?.endsWithEvent && progress.text !== '') return undefined
  return unreadable(facts, result)
}

/** A bad end of the last answer that the output hides. */
function endedBadly({ answerEnd, launch, settings }: EndFacts): Failure | undefined {
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

function classified(facts: EndFacts): Failure | null {
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
function ofTimer(failure: Failure, facts: EndFacts): Failure {
  const { waitingOut, earlyEnd, result } = facts
  if (waitingOut && waitingOut.class !== 'unknown') return { ...waitingOut, ...spentIn(failure) }
  if (earlyEnd?.by === 'watch') return { ...unknownCause(facts, earlyEnd.cause), ...spentIn(failure) }
  return result.stalled ? { ...failure, kind: 'stall' } : ofProvider(failure, facts)
}

/** It was ended during its own retries, for an unrecognised cause: a person must look, waiting does not help. */
function unknownCause({ settings, launch }: EndFacts, cause: Failure | null): Failure {
  const message = `${launch.cli.name} kept retrying and was ended; the cause is not recognised`
  if (!cause) return ownFailure({ kind: 'unknown', rule: 'self_retry', provider: settings.id, message })
  return { ...cause, message: `${message}: ${cause.message}` }
}

/**
 * A plain program's bug is for its caller to fix. An agent is a provider: when it breaks, another may work, and a person must look
 * at an unrecognised failure.
 */
function ofProvider(failure: Failure, { launch, settings }: EndFacts): Failure {
  if (failure.kind === 'code_bug') return { ...failure, class: 'unknown', kind: 'crash' }
  const kind = failure.kind === 'command_failed' ? 'unknown' : failure.kind
  // For a command, only its id identifies the provider.
  const isCommand = failure.class === 'unknown' && launch.cli.profile === undefined
  return { ...failure, kind, ...(isCommand ? { provider: settings.id } : {}) }
}

/** What the output says, together with what we did ourselves. */
function printed(facts: EndFacts, own: NonNullable<ClassifyContext['own']>): Failure | null {
  return classify(outputOf(facts), { ...contextOf(facts), own })
}

function outputOf(facts: EndFacts): Pick<ProcessResult, 'exitCode' | 'signal' | 'stdout' | 'stderr'> {
  const { exitCode, signal, stdout } = facts.result
  return { exitCode, signal, stdout, stderr: withoutNoise(facts) }
}

function contextOf(facts: EndFacts): ClassifyContext {
  const { context, settings } = facts
  const signatures = signaturesFor(settings.id, context)
  return { ...context, ...signatures, provider: nameFor(facts), model: modelOf(facts) }
}

function withoutNoise({ launch: { cli }, result: { stderr } }: EndFacts): string {
  if (!cli.isNoise) return stderr
  return stderr
    .split('\n')
    .filter(line => !cli.isNoise?.(line))
    .join('\n')
}

/** A limit that a run met and overcame. */
export function throttleOf(facts: EndFacts): Failure | null {
  return throttleHint(outputOf(facts), contextOf(facts))
}

/** The name by which the classifier knows the CLI. */
function nameFor({ settings, launch }: EndFacts): string {
  return launch.cli.profile?.names[0] ?? settings.id
}

/** What is known about the model, perhaps of a run that was never started. */
type ModelFacts = Pick<EndFacts, 'settings'> & {
  [fact in 'progress' | 'launch']?: EndFacts[fact] | undefined
}

/** The model that answers, as far as it is known. */
export function modelOf({ progress, launch, settings }: ModelFacts): string | undefined {
  return progress?.model ?? launch?.options.model ?? settings.model
}

function spentIn({ sessionId, costUsd, turns, exitCode, signal }: Failure): Partial<Failure> {
  return present({ sessionId, costUsd, turns, exitCode, signal })
}

/** The CLI no longer has the session to resume, so nothing was begun. */
function lostSession({ request, launch, result, settings }: EndFacts): Failure | undefined {
  const id = request.session?.id ?? launch.options.resume
  if (id === undefined || !launch.cli.lostSession?.test(`${result.stderr}\n${result.stdout}`))
    return undefined
  return sessionLost(settings.id, `${launch.cli.name} no longer has the session ${id}`)
}

/** True for neither words nor deeds. An agent that used a tool may have done what was asked without saying so. */
function isEmpty({ text, structured, hasUsedTool }: RunProgress): boolean {
  return text.trim() === '' && structured === undefined && !hasUsedTool
}

function emptyAnswer(facts: EndFacts): Failure {
  const { launch, settings } = facts
  const failure = ownFailure({
    kind: 'bad_json',
    rule: 'empty_answer',
    provider: settings.id,
    message: `${launch.cli.name} reports success, but its model said nothing and used no tool`,
  })
  return { ...failure, effect: effectOfRun(facts, failure) }
}

function unreadable({ launch, settings }: EndFacts, { stdoutBytes }: ProcessResult): Failure {
  const what = stdoutBytes === 0 ? 'printed nothing' : 'printed no readable result'
  return ownFailure({
    kind: 'bad_json',
    rule: 'no_result',
    effect: 'maybe',
    provider: settings.id,
    message: `${launch.cli.name} ended with exit code 0 and ${what}`,
  })
}

/** The signatures of one provider. The classifier gets the name of its CLI, but operators write the provider's. */
export function signaturesFor(
  provider: string,
  { signatures }: Pick<ClassifyContext, 'signatures'>,
): Pick<ClassifyContext, 'signatures'> {
  if (!signatures) return {}
  return { signatures: 'matchAll' in signatures ? signatures : signatures.get(provider) }
}
