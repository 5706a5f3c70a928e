import { type FailureClass, type FailureKind, KINDS } from '../src/failure/failure.ts'
import { SPEAKERS } from '../src/failure/speaker.ts'
import { BACKOFF_NAMES, backoffMs } from '../src/verdict/backoff.ts'
import { decide, healthOf } from '../src/verdict/decide.ts'
import { durationInWords } from '../src/verdict/duration-words.ts'
import { PRESETS, type PresetName } from '../src/verdict/presets/presets.ts'
import { DEFAULT_TABLE, type Row } from '../src/verdict/table.ts'
import { loginBlockMs, UNSTATED_WAITS, unstatedWaitMs } from '../src/verdict/unstated-wait.ts'
import type { Verdict } from '../src/verdict/verdict.ts'
import { STEP_STATE_TABLE } from '../src/workflow/step-state.ts'
import { exampleCircumstances, exampleFailure } from '../test/verdict/example.ts'

/** The generated parts of docs/reference/kinds.md. */
export const policySections = {
  'default-policy': () =>
    table(
      ['failure', 'in process', 'durable', 'provider health', 'people'],
      DEFAULT_TABLE.map(row => [
        row.title,
        steps(row.inProcess),
        steps(row.durable),
        row.health.words,
        row.people,
      ]),
    ),
  speakers: () =>
    table(
      ['speaker', 'who', 'decides the class', 'proves effect `none`', 'blocks the provider'],
      Object.entries(SPEAKERS).map(([speaker, { who, class: cls, none, block }]) => [
        `\`${speaker}\``,
        who,
        cls,
        none,
        block,
      ]),
    ),
  classes: () =>
    table(
      ['class', 'kinds'],
      Object.entries(KINDS).map(([cls, kinds]) => [`\`${cls}\``, kinds.join(', ')]),
    ),
  backoff: () =>
    table(
      ['name', '1st', '2nd', '3rd', '4th', '5th', '6th retry'],
      BACKOFF_NAMES.map(name => [
        `\`${name}\``,
        ...[0, 1, 2, 3, 4, 5].map(retries => {
          const least = backoffMs(name, retries, 0)
          const most = backoffMs(name, retries, 1)
          return least === most
            ? durationInWords(most)
            : `${least === 0 ? 0 : durationInWords(least)} … ${durationInWords(most)}`
        }),
      ]),
    ),
  floors: () =>
    table(
      ['refusal without a time', '1st', '2nd', '3rd', '4th', '5th', '6th time in a row'],
      [...Object.keys(UNSTATED_WAITS), 'login'].map(kind => [
        kind === 'rate_limit'
          ? '`rate_limit`'
          : kind === 'login'
            ? 'refused login, credential not known'
            : '`usage_limit`, `quota`',
        ...[0, 1, 2, 3, 4, 5].map(times =>
          durationInWords(
            kind === 'login' ? loginBlockMs(times) : unstatedWaitMs(kind as FailureKind, times),
          ),
        ),
      ]),
    ),
  'step-states': () =>
    table(
      ['operation', 'step', ''],
      STEP_STATE_TABLE.map(([of, state, why]) => [of, state === 'unchanged' ? state : `\`${state}\``, why]),
    ),
  presets: () => {
    const names = Object.keys(PRESETS) as PresetName[]
    return table(
      ['failure', 'default', ...names.map(name => `\`${name}\``)],
      EXAMPLES.map(([title, failure]) => [title, ...[undefined, ...names].map(name => cell(failure, name))]),
    )
  },
}

const NOW = 1_000_000
const EXAMPLES: readonly [string, ReturnType<typeof exampleFailure>][] = [
  ['rate limit, 20 s stated', example('throttle', 'rate_limit', { retryAfterMs: 20_000 })],
  ['rate limit, no time', example('throttle', 'rate_limit')],
  ['usage limit, 5 h stated', example('throttle', 'usage_limit', { retryAfterMs: 18_000_000 })],
  ['billing', example('throttle', 'billing')],
  ['overloaded', example('transient', 'overloaded')],
  ['connection cut', example('transient', 'eof', { effect: 'maybe' })],
  ['our own timer', example('timeout', 'timeout', { effect: 'maybe' })],
  ['gateway timeout', example('timeout', 'gateway_timeout', { effect: 'maybe' })],
  ['login refused', example('permanent', 'auth')],
  ['invalid request', example('permanent', 'invalid_request')],
  ['turn limit', example('rail', 'max_turns', { effect: 'maybe' })],
  ['unknown', example('unknown', 'unknown', { effect: 'maybe' })],
]

function example(cls: FailureClass, kind: FailureKind, fields: object = {}) {
  return exampleFailure(cls, kind, fields)
}

/** The verdict in process with four minutes left and no other provider, and its effect on the provider. */
function cell(failure: ReturnType<typeof exampleFailure>, preset: PresetName | undefined): string {
  const circumstances = exampleCircumstances({ now: NOW, remainingMs: 240_000, backoff: 'fixed10s' })
  const policies = preset === undefined ? [] : PRESETS[preset]
  const { breaker, blockUntil } = healthOf(failure, circumstances, policies)
  const health = [...(blockUntil === undefined ? [] : ['block']), ...(breaker === 'trip' ? ['trip'] : [])]
  return [short(decide(failure, circumstances, policies)), ...health].join(', ')
}

function short(verdict: Verdict): string {
  switch (verdict.action) {
    case 'retry':
      return `retry in ${durationInWords(verdict.delayMs)}`
    case 'snooze':
      return `snooze ${durationInWords(verdict.until - NOW)}`
    case 'park':
      return `park for ${verdict.for}`
    case 'cancel':
      return `cancel, ${verdict.as}`
    case 'failover':
      return 'failover'
  }
}

function steps(list: Row['inProcess']): string {
  return list.map(({ words }) => words).join('; else ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(text => text.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
