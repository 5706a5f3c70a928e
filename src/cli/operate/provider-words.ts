import { momentInWords } from '../../daemon/words/failure-words.ts'
import { shellWord } from '../../option/shell-word.ts'
import { needOf, nextStepFor } from '../../provider/next-step.ts'
import type { ProviderStatus } from '../../provider/provider-status.ts'
import type { WindowUse } from '../../provider/window-use.ts'
import { timeToJson } from '../../time/time-json.ts'

/** A line per provider, with its windows below. */
export function providersInWords(statuses: readonly ProviderStatus[], now: number): string {
  const width = Math.max(...statuses.map(({ id }) => id.length))
  return statuses
    .flatMap(status => [
      `${status.id.padEnd(width)}  ${stateInWords(status)}`,
      ...stepsFor(status).map(step => `${' '.repeat(width)}  ${step}`),
      ...status.windows.map(use => `${' '.repeat(width)}  ${windowInWords(use, now)}`),
    ])
    .map(line => `${line}\n`)
    .join('')
}

/** What a person does about it. */
function stepsFor(status: ProviderStatus): string[] {
  const need = needOf(status)
  return need === undefined ? [] : [nextStepFor(need, status.id)]
}

/** Whether a provider takes calls, and if not, why. */
export function stateInWords({ admits, reason, breaker, paused, loginRefused }: ProviderStatus): string {
  if (paused) {
    const { until, reason: why } = paused
    return `paused${until === undefined ? '' : ` until ${timeToJson(until).replace(/\.\d+Z$/, 'Z')}`}${why === undefined ? '' : `: ${why}`}`
  }
  if (!admits) return reason ?? 'takes no calls'
  if (loginRefused) return 'login refused: the next call tests it'
  if (breaker.state === 'half_open') return 'half-open: the next call tests it'
  return breaker.failures > 0 ? `ready, after ${times(breaker.failures)}` : 'ready'
}

function times(failures: number): string {
  // One whose cause is not certain counts half.
  return failures <= 1 ? 'a failure' : `${Math.ceil(failures)} failures in a row`
}

/** How much of a window is used, and until when. */
export function windowInWords(
  { window, unit, used, limit, level, until, source }: WindowUse,
  now: number,
): string {
  return [
    `window ${window}: ${amountInWords(unit, used, limit)}`,
    ...(level === 'within' ? [] : [level === 'near' ? 'nearly used up' : 'used up']),
    ...(until === undefined || until <= now ? [] : [`until ${momentInWords(until, now)}`]),
    ...(source === 'counted'
      ? []
      : [source === 'reported' ? 'reported by the vendor' : 'set after a limit was reached']),
  ].join(', ')
}

function amountInWords(unit: WindowUse['unit'], used: number, limit: number): string {
  if (unit === 'usd') return `$${used.toFixed(2)} of $${limit.toFixed(2)}`
  if (unit === 'share') return `${Math.round(used * 100)} %`
  return `${Math.round(used)} of ${Math.round(limit)} ${unit}`
}

/** Everything about one provider. */
export function providerInDetail(status: ProviderStatus, now: number): string {
  const { id, quota, breaker, modelBreakers, loginRefused, blocks, windows, hasProbe, paused } = status
  const lines = [
    `${id}: ${stateInWords(status)}`,
    `  quota     ${quota}${quota === id ? '' : ', shared by all providers with this quota'}`,
    `  breaker   ${breakerInWords(breaker, now)}`,
    ...modelBreakers.map(of => `  ${of.model}: breaker ${breakerInWords({ ...of, failures: 0 }, now)}`),
    ...(loginRefused ? [`  login     refused; has not worked since. ${nextStepFor('login', id)}`] : []),
    ...(blocks.some(({ failure }) => failure.kind === 'billing')
      ? [`  payment   needed. ${nextStepFor('payment', id)}`]
      : []),
    ...(paused ? [`  paused    since ${momentInWords(paused.at, now)}`] : []),
  ]
  for (const { scope, from, until, failure } of blocks) {
    const { class: cls, kind, message, evidence } = failure
    lines.push(
      `  blocked   ${until === undefined ? 'until cleared' : `until ${momentInWords(until, now)}`}, since ${momentInWords(from, now)}${scopeInWords(scope)}`,
      `            by ${cls}/${kind}: ${message}`,
      `            rule ${evidence.rule} on ${evidence.where}: ${evidence.excerpt}`,
    )
  }
  if (blocks.length === 0) lines.push('  blocked   no')
  for (const use of windows) lines.push(`  ${windowInWords(use, now)}`)
  lines.push(
    `  probe     ${hasProbe ? `configured; run it with: mulligan providers probe ${shellWord(id)}` : 'none'}`,
  )
  return `${lines.join('\n')}\n`
}

type BreakerStatus = Omit<ProviderStatus['breaker'], 'probeInFlight'> & { probeInFlight?: boolean }

function breakerInWords({ state, failures, until, probeInFlight }: BreakerStatus, now: number) {
  switch (state) {
    case 'closed':
      return failures > 0 ? `closed, after ${times(failures)}` : 'closed'
    case 'open':
      return `open until ${momentInWords(until ?? now, now)}, after too many failures`
    case 'half_open':
      return probeInFlight ? 'half-open, a test call is running' : 'half-open: the next call tests it'
  }
}

function scopeInWords(scope: ProviderStatus['blocks'][number]['scope']): string {
  if ('provider' in scope)
    return scope.credential === undefined ? ' (its login)' : ' (only one of its logins)'
  return scope.model === undefined ? '' : ` (only model ${scope.model})`
}
