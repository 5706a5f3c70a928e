import { setTimeout as delay } from 'node:timers/promises'
import {
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import CircuitBreaker from 'opossum'
import pRetry from 'p-retry'
import { call } from '../src/call/call.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'

const say = (line = '') => process.stdout.write(`${line}\n`)

const BUDGET_MS = 30_000
const RETRIES = 2
const ROUNDS = 21
const CALLS = 5_000

/** What a model answers, in the shape of a vendor's SDK. */
const answer = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'The failing test compares a local date with a UTC one. '.repeat(20) }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 2_095, output_tokens: 503 },
}

/** The work that all of them run: it takes the signal, as a request would, and answers at once. */
let seen = 0
async function work(signal: AbortSignal): Promise<typeof answer> {
  if (signal.aborted) throw signal.reason
  return answer
}
const heard = () => {
  seen++
}

/** The caller's signal; one for each subject, because what one leaves on it would slow down the next. */
const user = {
  mulligan: new AbortController().signal,
  cockatiel: new AbortController().signal,
  opossum: new AbortController().signal,
  pRetry: new AbortController().signal,
}

const cockatiel = (() => {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) })
  const again = retry(handleAll, { maxAttempts: RETRIES, backoff: new ExponentialBackoff() })
  const limit = timeout(BUDGET_MS, TimeoutStrategy.Aggressive)
  for (const policy of [breaker, again, limit]) {
    policy.onSuccess(heard)
    policy.onFailure(heard)
  }
  return wrap(limit, again, breaker)
})()

const opossum = new CircuitBreaker(work, {
  timeout: BUDGET_MS,
  errorThresholdPercentage: 50,
  volumeThreshold: 10,
})
for (const event of ['fire', 'success', 'failure', 'timeout', 'reject'] as const) opossum.on(event, heard)

/** A signal of its own for each call, ended by the caller's: what opossum leaves to its users. */
async function opossumAbortable(): Promise<typeof answer> {
  const own = new AbortController()
  const onAbort = () => own.abort(user.opossum.reason)
  user.opossum.addEventListener('abort', onAbort, { once: true })
  try {
    return await opossum.fire(own.signal)
  } finally {
    user.opossum.removeEventListener('abort', onAbort)
  }
}

/**
 * The same with what a call of ours promises: one budget over all tries and waits, at whose end the signal is aborted
 * and the promise settles, whether the work listens or not.
 */
async function opossumWithinBudget(): Promise<typeof answer> {
  const own = new AbortController()
  const onAbort = () => own.abort(user.opossum.reason)
  user.opossum.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => own.abort(new Error('the budget is used up')), BUDGET_MS)
  try {
    return await new Promise((resolve, reject) => {
      own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true })
      pRetry(() => opossum.fire(own.signal), { retries: RETRIES, signal: own.signal }).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    user.opossum.removeEventListener('abort', onAbort)
  }
}

const subjects: Record<string, { run: () => Promise<unknown>; has: string }> = {
  mulligan: {
    has: 'budget over all tries, retries, health, events, own signal, soft failures seen, every try recorded',
    run: () =>
      call(({ signal }) => work(signal), {
        budgetMs: BUDGET_MS,
        maxRetries: RETRIES,
        provider: 'p',
        signal: user.mulligan,
        onEvent: heard,
      }),
  },
  'cockatiel: timeout(retry(breaker))': {
    has: 'budget over all tries, retries, breaker, events, own signal',
    run: () => cockatiel.execute(({ signal }) => work(signal), user.cockatiel),
  },
  'opossum in p-retry, within a budget': {
    has: 'budget over all tries, retries, breaker, events, own signal',
    run: opossumWithinBudget,
  },
  'mulligan, softFailures off': {
    has: 'budget over all tries, retries, health, events, own signal, every try recorded',
    run: () =>
      call(({ signal }) => work(signal), {
        budgetMs: BUDGET_MS,
        maxRetries: RETRIES,
        provider: 'p',
        signal: user.mulligan,
        onEvent: heard,
        softFailures: false,
      }),
  },
  'opossum in p-retry, abortable': {
    has: 'timeout per try, retries, breaker, events, own signal',
    run: () => pRetry(opossumAbortable, { retries: RETRIES, signal: user.opossum, maxRetryTime: BUDGET_MS }),
  },
  'opossum, abortable': {
    has: 'timeout, breaker, events, own signal; no retries',
    run: opossumAbortable,
  },
  'p-retry with AbortSignal.timeout': {
    has: 'budget, retries, own signal; no health, no events',
    run: () => {
      const signal = AbortSignal.any([user.pRetry, AbortSignal.timeout(BUDGET_MS)])
      return pRetry(() => work(signal), { retries: RETRIES, signal })
    },
  },
}

async function speed(): Promise<void> {
  const names = Object.keys(subjects)
  const samples = new Map<string, number[]>(names.map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    // Back and forth: whoever always came behind the same one would collect its garbage for it.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { run } = subjects[name] as { run: () => Promise<unknown> }
      const start = performance.now()
      for (let i = 0; i < CALLS; i++) await run()
      samples.get(name)?.push(((performance.now() - start) / CALLS) * 1_000)
      // Lets timers and finalizers of one subject end before the next is measured. No forced collection here: it
      // would throw away the compiled code of those that have not run for a while.
      await delay(20)
    }
  }
  const ours = median(samples.get('mulligan') as number[])
  say(
    `A successful call: budget ${BUDGET_MS / 1_000} s, ${RETRIES} retries, an abortable signal that the work reads, events heard.`,
  )
  say(`Median of ${ROUNDS} alternating rounds of ${CALLS} calls.`)
  say()
  say('| | µs per call | of ours | has |')
  say('|---|---|---|---|')
  for (const name of names) {
    const micros = median(samples.get(name) as number[])
    say(`| ${name} | ${micros.toFixed(2)} | ${(micros / ours).toFixed(2)} × | ${subjects[name]?.has} |`)
  }
  figure({
    what: 'a successful call with budget, retries, health and events',
    unit: 'µs',
    better: 'less',
    values: Object.fromEntries(
      ['mulligan', 'cockatiel: timeout(retry(breaker))', 'opossum in p-retry, within a budget'].map(name => [
        name.split(/[:,]/)[0],
        median(samples.get(name) as number[]),
      ]),
    ),
  })
}

async function heap(): Promise<void> {
  const { run } = subjects.mulligan as { run: () => Promise<unknown> }
  const sizes: number[] = []
  for (let million = 0; million <= 10; million++) {
    globalThis.gc?.()
    sizes.push(process.memoryUsage().heapUsed / 1e6)
    if (million < 10) for (let i = 0; i < 100_000; i++) await run()
  }
  say()
  say(`Heap after each 100,000 of a million calls, MB: ${sizes.map(size => size.toFixed(1)).join(', ')}.`)
}

await speed()
await heap()
if (seen === 0) throw new Error('no event was heard')
