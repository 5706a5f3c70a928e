import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { WrongArgument } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import type { Time } from '../time/time.ts'
import { isAnswer, PROBE_TIMEOUT_DEFAULT_MS, type ProbeSettings } from './probe.ts'

/** A probe's program, and its bounds. */
export interface ProbeProgram {
  argv: readonly [string, ...string[]]
  timeoutMs: number
  killGraceMs: number
  time: Time
  cwd?: string
  env?: Record<string, string | undefined>
  signal?: AbortSignal
}

/** Runs a program to its end, and resolves with how it ended. */
export type RunCommand = (program: ProbeProgram) => Promise<ProgramResult>

interface ProgramResult {
  stdout: string
  aborted: boolean
}

/**
 * Runs a probe's function or command once.
 * @param runCommand undefined if no program can be started: in browsers and on the edge
 * @returns the failure; undefined if the provider answered
 */
export async function runProbe(
  provider: string,
  probe: ProbeSettings,
  time: Time,
  runCommand: RunCommand | undefined,
  signal: AbortSignal | undefined,
): Promise<Failure | undefined> {
  const context = { provider, now: time.now() }
  try {
    const value = probe.command
      ? await answerOfCommand(probe, time, runCommand, signal)
      : await answerOfFunction(provider, probe, time, signal)
    const failure = classify(value, probe.command ? context : { ...context, returned: true })
    if (failure) return failure
    return isAnswer(probe.command ? (value as ProgramResult).stdout : value) ? undefined : noAnswer(provider)
  } catch (error) {
    const own = { timedOut: error instanceof ProbeTimeout, aborted: signal?.aborted === true }
    return classify(error, { ...context, own }) ?? noAnswer(provider)
  }
}

async function answerOfCommand(
  { command, cwd, env, timeoutMs = PROBE_TIMEOUT_DEFAULT_MS }: ProbeSettings,
  time: Time,
  runCommand: RunCommand | undefined,
  signal: AbortSignal | undefined,
): Promise<ProgramResult> {
  if (!runCommand)
    throw new WrongArgument(
      'a probe command needs the Health of "mulligan/provider", which can start programs',
    )
  const result = await runCommand({
    argv: command as readonly [string, ...string[]],
    timeoutMs,
    killGraceMs: 1_000,
    time,
    ...present({ cwd, env, signal }),
  })
  if (result.aborted) throw signal?.reason
  return result
}

async function answerOfFunction(
  provider: string,
  { run: ask, timeoutMs = PROBE_TIMEOUT_DEFAULT_MS }: ProbeSettings,
  time: Time,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancel = time.after(timeoutMs, () => controller.abort(new ProbeTimeout(timeoutMs)))
  try {
    // A function that ignores its signal must not hold up the calls that wait behind the probe.
    return await new Promise((resolve, reject) => {
      const stop = () => reject(controller.signal.reason)
      if (controller.signal.aborted) stop()
      controller.signal.addEventListener('abort', stop, { once: true })
      Promise.resolve(ask?.({ provider, signal: controller.signal })).then(resolve, reject)
    })
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

class ProbeTimeout extends Error {
  override name = 'TimeoutError'

  constructor(ms: number) {
    super(`the probe did not answer within ${ms} ms`)
  }
}

function noAnswer(provider: string): Failure {
  return {
    class: 'transient',
    kind: 'eof',
    effect: 'none',
    provider,
    message: 'the probe ended without an answer',
    evidence: { rule: 'probe:no_answer', where: 'probe', excerpt: '', lost: [] },
    fingerprint: 'fp1:0000000000000000',
  }
}
