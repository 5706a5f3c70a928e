import { EFFECT_IN_WORDS, failureInOneLine } from '../../daemon/words/failure-words.ts'
import { classify } from '../../failure/classify.ts'
import { type Failure, isFailureClass, isFailureKind } from '../../failure/failure.ts'
import { type FailureJson, failureFromJson, failureToJson } from '../../failure/json.ts'
import { present } from '../../failure/present.ts'
import { parseInstant } from '../../time/instant.ts'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { type Circumstances, circumstancesOf } from '../../verdict/circumstances.ts'
import { decide, healthOf } from '../../verdict/decide.ts'
import { defaultPolicy } from '../../verdict/default-policy.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { verdictToJson } from '../../verdict/json.ts'
import type { HealthMark, Policy } from '../../verdict/policy.ts'
import { PRESETS, type PresetName } from '../../verdict/presets/presets.ts'
import { RETRY_POLICIES } from '../../verdict/retry-policy.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { UsageError } from '../flag/arguments.ts'
import { choiceFlag, countFlag, durationFlag, instantFlag } from '../flag/flags.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'
import { type FailureInput, INPUT_USAGE, readFailureInputs } from './input.ts'

export const usage = `Usage: mulligan classify | explain | decide [FILE…|-] [OPTIONS]

  classify          the class and kind of a failure, whether it may have taken effect, and when it can work again
  explain           the same with the evidence: the rule that decided, the text it matched, and the rules that lost
  decide            what to do about it and why: retry, failover, snooze, park or cancel. FILE may also contain a failure as
                    JSON from "mulligan classify --json"
${INPUT_USAGE}

Circumstances, for decide (defaults come from [policy] in the config; with --durable, from [queue]):
  --durable              the operation can wait for hours; default: one call in a process
  --retries N            retries made so far; default 0
  --max-retries N        retry limit; default 2, durable 5
  --backoff NAME         growth of waits: ${BACKOFF_NAMES.join(', ')}; default
                         fullJitter, durable adaptive
  --snoozes N            snoozes so far; default 0
  --max-snoozes N        snooze limit; default 20
  --remaining D          time left in the budget, such as 45s; default: no limit, durable 30m
  --min-retry-budget D   retry only with more than this left; default: 30s, or a tenth of --remaining if that is less
  --retry MODE           whether it may run twice: none, replay or verify_first; default replay
  --resumable            its session can be resumed
  --other-provider       another provider can serve it now
  --available-at TIME    when the first provider can serve again
  --strikes N            earlier refusals of this kind in a row by this provider; default 0
  --credential-known     a refused login blocks only its credential
  --random X             jitter of waits, from 0 to below 1; default 0.5
  --policy NAME          ask this policy before [policy]: default, ${Object.keys(PRESETS).join(', ')}

Exit codes: 0 answered (also if it is not a failure), 1 a file or config cannot be used, 2 wrong usage.`

const OWN = {
  durable: { type: 'boolean' },
  retries: { type: 'string' },
  'max-retries': { type: 'string' },
  backoff: { type: 'string' },
  snoozes: { type: 'string' },
  'max-snoozes': { type: 'string' },
  remaining: { type: 'string' },
  'min-retry-budget': { type: 'string' },
  retry: { type: 'string' },
  resumable: { type: 'boolean' },
  'other-provider': { type: 'boolean' },
  'available-at': { type: 'string' },
  strikes: { type: 'string' },
  'credential-known': { type: 'boolean' },
  random: { type: 'string' },
  policy: { type: 'string' },
} as const

type OwnFlags = { [K in keyof typeof OWN]?: (typeof OWN)[K]['type'] extends 'string' ? string : boolean }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { inputs, json, own, configFile } = await readFailureInputs(argv, usage, terminal, OWN)
  const flags = own as OwnFlags
  const preset = choiceFlag('--policy', flags.policy, ['default', ...Object.keys(PRESETS)])
  const config = configFile === undefined ? undefined : await configIn(configFile, terminal)
  const policies = [
    ...(preset === undefined ? [] : [preset === 'default' ? defaultPolicy : PRESETS[preset as PresetName]]),
    ...(config ? [config.policy] : []),
  ]
  for (const input of inputs) {
    const failure = failureOf(input)
    if (failure === null) {
      terminal.stdout(json ? 'null\n' : `${prefixOf(input, inputs.length)}not a failure: nothing to do\n`)
      continue
    }
    const circumstances = circumstancesFrom(
      flags,
      Number(input.context.now ?? terminal.now()),
      config?.limits,
    )
    const verdict = decide(failure, circumstances, policies)
    const health = healthOf(failure, circumstances, policies)
    if (json) printJson(terminal, decisionToJson(failure, verdict, health))
    else terminal.stdout(`${prefixOf(input, inputs.length)}${decisionInWords(failure, verdict, health)}`)
  }
  return 0
}

function prefixOf({ name }: FailureInput, inputs: number): string {
  return inputs > 1 ? `${name}: ` : ''
}

/** The failure of an input that is already classified; classifies any other input. */
function failureOf({ name, input, context }: FailureInput): Failure | null {
  if (!isFailureJson(input)) return classify(input, context)
  if (!isFailureClass(input.class))
    throw new UsageError(`${name}: ${JSON.stringify(input.class)} is not a failure class`)
  if (!isFailureKind(input.kind))
    throw new UsageError(`${name}: ${JSON.stringify(input.kind)} is not a failure kind`)
  for (const [field, { right, test }] of Object.entries(FIELDS)) {
    if (!test(input[field]))
      throw new UsageError(`${name}: ${field} must be ${right}, not ${JSON.stringify(input[field])}`)
  }
  return failureFromJson(input)
}

/** The fields of a failure that verdicts read, besides class and kind. */
const FIELDS: Record<string, { right: string; test: (value: unknown) => boolean }> = {
  effect: {
    right: `one of ${Object.keys(EFFECT_IN_WORDS).join(', ')}`,
    test: value => typeof value === 'string' && Object.hasOwn(EFFECT_IN_WORDS, value),
  },
  message: { right: 'a string', test: value => typeof value === 'string' },
  retry_after_ms: {
    right: 'a number of milliseconds, 0 or more',
    test: value => value === undefined || (typeof value === 'number' && value >= 0 && value <= LONGEST_MS),
  },
  reset_at: {
    right: 'a time such as 2026-11-15T20:00:00Z',
    test: value => value === undefined || parseInstant(String(value)) !== undefined,
  },
}
/** A century: more than any provider asks for, and within the range of dates. */
const LONGEST_MS = 36_525 * 86_400_000

function isFailureJson(input: unknown): input is FailureJson {
  const fields = ['class', 'kind', 'effect', 'evidence', 'fingerprint']
  return typeof input === 'object' && input !== null && fields.every(field => Object.hasOwn(input, field))
}

function circumstancesFrom(flags: OwnFlags, now: number, limits: Limits | undefined): Circumstances {
  const durable = flags.durable === true
  const own = durable ? limits?.durable : limits?.inProcess
  const maxRetries = countFlag('--max-retries', flags['max-retries'])
  const fromFlags: { [K in keyof Circumstances]?: Circumstances[K] | undefined } = {
    random: randomFlag(flags.random),
    retries: countFlag('--retries', flags.retries),
    maxRetries,
    backoff: choiceFlag('--backoff', flags.backoff, BACKOFF_NAMES),
    snoozes: countFlag('--snoozes', flags.snoozes),
    maxSnoozes: countFlag('--max-snoozes', flags['max-snoozes']),
    remainingMs: durationFlag('--remaining', flags.remaining),
    minRetryBudgetMs: durationFlag('--min-retry-budget', flags['min-retry-budget']),
    availableAt: instantFlag('--available-at', flags['available-at']),
    strikes: countFlag('--strikes', flags.strikes) ?? 0,
  }
  const retry = choiceFlag('--retry', flags.retry, RETRY_POLICIES) ?? 'replay'
  const given = Object.entries(fromFlags).filter(([, value]) => value !== undefined)
  return circumstancesOf({
    ...own,
    ...Object.fromEntries(given),
    durable,
    now,
    retriesAsked: maxRetries !== undefined || own?.retriesAsked === true,
    repeatable: retry === 'replay',
    verifiable: retry === 'verify_first',
    resumable: flags.resumable === true,
    otherProviderAvailable: flags['other-provider'] === true,
    credentialKnown: flags['credential-known'] === true,
  })
}

/** Limits of the config for calls and for operations; flags override them. */
interface Limits {
  inProcess: Partial<Circumstances>
  durable: Partial<Circumstances>
}

/** The policies and limits of a config, as `run` and `serve` use them. */
async function configIn(file: string, terminal: Terminal): Promise<{ policy: Policy; limits: Limits }> {
  // Loaded only now, because the schema of the config is large.
  const [{ loadToShow }, { policyOfConfig }] = await Promise.all([
    import('../runtime/runtime.ts'),
    import('../../config/policy-levels.ts'),
  ])
  const loaded = loadToShow({ config: file }, terminal)
  const { policy, queue } = loaded.config
  const isAsked = (path: string) => (loaded.originOf(path)?.from ?? 'default') !== 'default'
  const { maxRetries, backoff, minRetryBudgetMs } = policy
  return {
    policy: policyOfConfig(loaded.config),
    limits: {
      inProcess: {
        maxRetries,
        backoff,
        retriesAsked: isAsked('policy.maxRetries'),
        ...present({ minRetryBudgetMs }),
      },
      durable: {
        maxRetries: queue.maxRetries,
        backoff: queue.backoff,
        retriesAsked: isAsked('queue.maxRetries'),
        ...present({ remainingMs: queue.retryForMs }),
        maxSnoozes: queue.maxSnoozes,
      },
    },
  }
}

function randomFlag(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const random = Number(value)
  if (value.trim() !== '' && random >= 0 && random < 1) return random
  throw new UsageError(`--random takes a number from 0 to below 1, not ${JSON.stringify(value)}`)
}

function decisionToJson(failure: Failure, verdict: Verdict, health: HealthMark): object {
  return { verdict: verdictToJson(verdict), health: healthToJson(health), failure: failureToJson(failure) }
}

function healthToJson({ breaker, blockUntil, fillWindows, pace }: HealthMark): object {
  return {
    breaker,
    ...(blockUntil === undefined
      ? {}
      : { block_until: blockUntil === 'cleared' ? blockUntil : new Date(blockUntil).toISOString() }),
    ...present({ fill_windows: fillWindows, pace }),
  }
}

function decisionInWords(failure: Failure, verdict: Verdict, health: HealthMark): string {
  return [
    verdictInWords(verdict),
    `  Because    ${verdict.reason}`,
    `  Rule       ${verdict.rule}`,
    `  Failure    ${failureInOneLine(failure)}`,
    `  Provider   ${healthInWords(health)}`,
    '',
  ].join('\n')
}

function verdictInWords(verdict: Verdict): string {
  const again = 'mode' in verdict && verdict.mode === 'resume' ? ', resuming its session' : ''
  switch (verdict.action) {
    case 'retry':
      return `retry in ${durationInWords(verdict.delayMs)}${again}`
    case 'snooze':
      return `snooze until ${new Date(verdict.until).toISOString()}${again}`
    case 'park':
      return `park for ${verdict.for}`
    case 'cancel':
      return `cancel as ${verdict.as}`
    case 'failover':
      return 'failover to another provider'
  }
}

function healthInWords({ breaker, blockUntil, fillWindows, pace }: HealthMark): string {
  const parts = [
    ...(blockUntil === undefined
      ? []
      : [
          blockUntil === 'cleared'
            ? 'blocked until cleared'
            : `blocked until ${new Date(blockUntil).toISOString()}`,
        ]),
    ...(fillWindows ? ['its windows count as used up until then'] : []),
    ...(pace ? ['calls go one after another'] : []),
    ...(breaker === 'none'
      ? []
      : [
          `counts ${{ half: 'half a failure', failure: 'as a failure', trip: 'as a trip' }[breaker]} for its breaker`,
        ]),
  ]
  return parts.join('; ') || 'no change'
}
