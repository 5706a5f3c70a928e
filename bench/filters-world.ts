import { classify } from '../src/failure/classify.ts'
import type { Failure } from '../src/failure/failure.ts'
import type { Inserted } from '../src/ledger/ledger.ts'
import type { Fence, NewOperation } from '../src/ledger/operation.ts'
import { openLedger, type SqliteLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../src/ledger/sqlite/sqlite-transaction.ts'
import type { ParkReason } from '../src/verdict/verdict.ts'
import { seeded } from './measure.ts'

// A ledger as it looks after months: most operations succeeded, some are dead, a few wait, and what is common is far
// more common than what is rare. The same seed gives the same ledger.

/** When the ledger of the world begins: operations come every 2.6 s for 30 days, if there are a million. */
export const BEGIN = Date.UTC(2026, 0, 1)
export const DAY_MS = 86_400_000
const DAYS = 30

export const CAPABILITIES = Array.from({ length: 20 }, (_, n) => `capability-${n}`)
export const PROVIDERS = ['claude', 'codex', 'gemini', 'openai', 'mistral', 'groq', 'house', 'spare']
const PARKED_FOR: readonly ParkReason[] = ['label', 'login', 'payment', 'runner', 'secret', 'parameters']

/** The most common first. */
export const FAILURES = [
  {
    status: 429,
    headers: { 'retry-after': '20' },
    body: '{"error":{"type":"rate_limit_error","message":"slow down"}}',
  },
  { status: 529, headers: {}, body: '{"error":{"type":"overloaded_error","message":"Overloaded"}}' },
  { status: 500, headers: {}, body: '{"error":{"message":"Internal server error"}}' },
  { status: 401, headers: {}, body: '{"error":{"message":"invalid x-api-key"}}' },
  {
    status: 400,
    headers: {},
    body: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  },
  "You've hit your usage limit",
  'Your credit balance is too low to access the API',
  Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' }),
  Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
  Object.assign(new Error('getaddrinfo ENOTFOUND api.example.com'), { code: 'ENOTFOUND' }),
  { exitCode: 137, signal: 'SIGKILL', stdout: '', stderr: 'Killed' },
  { exitCode: 3, stdout: '', stderr: 'the frobnicator refused to frob' },
].map(input => classify(input, { provider: 'claude', now: BEGIN }) as Failure)

const WORDS =
  'while reading the answer of model tool step file branch request customer invoice report nightly'.split(' ')
/** In one failure of 10,000. */
export const RARE_WORD = 'zugzwang'
export const COMMON_WORD = 'invoice'

/** Opens the file and fills it, if it is not filled yet. */
export async function worldIn(
  file: string,
  size: number,
  say: (line: string) => void,
): Promise<SqliteLedger> {
  let now = BEGIN
  const time = { now: () => Math.round(now), monotonic: () => performance.now(), after: () => () => {} }
  const ledger = await openLedger({ file, time })
  const random = seeded(42)
  const first = (await ledger.lastEvent()) > 0 ? size : 0
  const start = performance.now()
  for (let from = first; from < size; from += 2_000) {
    const count = Math.min(2_000, size - from)
    await ledger.transaction(writes => {
      for (let n = 0; n < count; n++) {
        now = BEGIN + ((from + n) / size) * DAYS * DAY_MS
        live(writes, from + n, random)
      }
    })
  }
  now = BEGIN + DAYS * DAY_MS
  if (first === 0)
    say(`filled with ${size} operations in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  return ledger
}

/** One of a list, the first far more often than the last. */
function skewed<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(list.length * random() ** 3)] as T
}

/** An operation, from its submission to the state that it is found in. */
function live(writes: SqliteTransaction, n: number, random: () => number): void {
  const providers =
    random() < 0.3 ? [] : random() < 0.7 ? [skewed(PROVIDERS, random)] : PROVIDERS.slice(0, 2 + (n % 3))
  const operation: NewOperation = {
    capability: skewed(CAPABILITIES, random),
    params: { task: 'summarise', file: `/home/ada/notes/2026-01-${n}.md`, words: 200, n },
    providers,
    priority: (n % 3) - 1,
    ...(random() < 0.2 ? { session: `session-${Math.floor(random() * 5_000)}` } : {}),
  }
  const [inserted] = writes.insert([operation]) as [Inserted]
  const { id } = inserted
  // Later ones still wait; of the early ones nearly all have ended.
  const fate = random()
  if (fate < 0.02) return
  if (fate < 0.03) {
    writes.park(id, { for: skewed(PARKED_FOR, random), reason: 'it waits for a person' })
    return
  }
  const started = writes.start(id)
  if (!started || fate < 0.0305) return
  const fence: Fence = { id, run: started.operation.run }
  const at = started.operation.startedAt
  const attempt = {
    startedAt: at,
    endedAt: at + 1_000,
    ...(providers[0] === undefined ? {} : { provider: providers[0] }),
    ...(random() < 0.05 ? { sessionId: `agent-${Math.floor(random() * 20_000)}` } : {}),
  }
  if (fate < 0.8) {
    writes.settle(fence, { succeeded: true, result: { ok: true }, attempt })
    return
  }
  const failure = failureOf(n, random)
  const reason = { reason: failure.message, rule: 'bench' }
  if (fate < 0.88)
    writes.settle(fence, {
      attempt: { ...attempt, failure },
      verdict: { action: 'cancel', as: 'refused', ...reason },
    })
  else if (fate < 0.89)
    writes.settle(fence, {
      attempt: { ...attempt, failure },
      verdict: { action: 'retry', delayMs: 10_000, mode: 'again', ...reason },
    })
  else {
    writes.append(fence, { ...attempt, failure })
    writes.settle(fence, { succeeded: true, result: { ok: true }, attempt })
  }
}

function failureOf(n: number, random: () => number): Failure {
  const failure = skewed(FAILURES, random)
  const said = Array.from({ length: 12 }, () => skewed(WORDS, random)).join(' ')
  const message = `${failure.message} ${said} ${n % 10_000 === 7 ? RARE_WORD : ''}`.trim()
  // Some two thousand of them.
  const fingerprint = `fp1:${Math.floor(2_000 * random() ** 3)
    .toString(16)
    .padStart(16, '0')}`
  return { ...failure, message, text: message, fingerprint }
}
