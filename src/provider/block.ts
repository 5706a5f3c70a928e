import type { Failure, FailureKind } from '../failure/failure.ts'
import { LONGEST_LABEL_WAIT_MS } from '../failure/label.ts'
import { sha256 } from './sha256.ts'
import { rebased } from './span.ts'

/**
 * A provider, a quota or one model of a quota that must not be called, and the failure that caused this. Plain JSON, kept
 * apart from spending counters.
 */
export interface Block {
  /** Epoch milliseconds. */
  from: number
  /** Epoch milliseconds; null for until cleared. */
  until: number | null
  failure: Failure
  /** Hash of the refused credential. */
  credential?: string
  /** The credential is the one from the provider's settings: changing it there ends the block. */
  isConfigured?: true
  /** Set by a call that named no model. Also blocks other such calls, because they get the same model. */
  isUnnamed?: true
  /** Set for one model by a refusal that may concern all. A second such model shows that it does. */
  isOfMember?: true
  /** How many calls went through to find out whether it is over, and when the next one may; see {@link testAtOf}. */
  tests?: number
  testAt?: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** First and longest time between two calls that find out whether money or a login is in order again. */
const TESTS = {
  billing: { firstMs: HOUR, longestMs: 24 * HOUR },
  login: { firstMs: MINUTE, longestMs: HOUR },
} as const

/**
 * When one call may go through a block that time does not end, in epoch milliseconds: nobody may ever report that the bill is
 * paid. Undefined for a block with an end.
 */
export function testAtOf({ until, from, failure, tests = 0, testAt }: Block): number | undefined {
  if (until !== null) return undefined
  return testAt ?? from + testIntervalMs(failure, tests)
}

/** The block after a call went through. */
export function tested(block: Block, now: number): Block {
  const tests = (block.tests ?? 0) + 1
  return { ...block, tests, testAt: now + testIntervalMs(block.failure, tests) }
}

function testIntervalMs({ kind }: Failure, tests: number): number {
  const { firstMs, longestMs } = kind === 'billing' ? TESTS.billing : TESTS.login
  return Math.min(firstMs * 2 ** Math.min(tests, 10), longestMs)
}

/** What ended a block. */
export type ClearedBy = 'time' | 'success' | 'probe' | 'doctor' | 'credential' | 'reset'

/**
 * The longer of two blocks: a short wait never shortens a long one. Compared at the moment the second is set, because setting
 * the clock back moves the end of the first.
 */
export function longer(present: Block | undefined, next: Block): Block {
  const standing = present && blockAt(present, next.from)
  return standing && endOf(standing) >= endOf(next) && standing.credential === next.credential
    ? standing
    : next
}

/** When the block ends, in epoch milliseconds; Infinity for one that time does not end. */
export function endOf({ until }: Block): number {
  return until ?? Infinity
}

/** The block in force now; undefined once its time is over; restarted if the clock was set back. */
export function blockAt(block: Block, now: number): Block | undefined {
  if (block.until === null) return block
  const known = isPlausible(block) ? block : { ...block, ...bounded(block.failure, block.until, block.from) }
  const current = rebased({ ...known, until: known.until as number }, now)
  return current.until > now ? (current.from === block.from ? known : current) : undefined
}

function isPlausible({ from, until, failure }: Block): boolean {
  return Math.max(until ?? 0, failure.resetAt ?? 0) <= from + LONGEST_LABEL_WAIT_MS
}

/** No block is longer than any stated wait: a wrong time must neither last for years nor be one that no date can show. */
export function bounded<U extends number | 'cleared' | undefined>(
  failure: Failure,
  until: U,
  from: number,
): { failure: Failure; until: U } {
  const latest = from + LONGEST_LABEL_WAIT_MS
  return {
    failure: (failure.resetAt ?? 0) <= latest ? failure : withoutTime(failure),
    until: typeof until === 'number' ? (Math.min(until, latest) as U) : until,
  }
}

function withoutTime({ resetAt, retryAfterMs, ...rest }: Failure): Failure {
  return rest
}

/** The failure to keep with a block: without its backtest text, which the record of the try has. */
export function blocking(failure: Failure): Failure {
  const { text: _text, ...kept } = failure
  return kept
}

/** A refused login concerns one credential; every other limit concerns the quota. */
export function isOfCredential({ kind, scope }: Failure): boolean {
  return (kind === 'auth' || kind === 'forbidden') && scope !== 'resource'
}

/** Failures that say nothing about a model: the provider was not reached, or refuses everything. */
const OF_PROVIDER: ReadonlySet<FailureKind> = new Set([
  'network',
  'dns',
  'connect_timeout',
  'tls',
  'eof',
  'runner_lost',
  'killed',
  'crash',
  'out_of_memory',
  'io',
])

/** Whether a failure counts against its model alone, because other models may be fine. */
export function isOfModel(failure: Failure): boolean {
  return failure.class === 'throttle' ? namesModel(failure) : !OF_PROVIDER.has(failure.kind)
}

/** Whether a limit names only the model: then the rest of the quota still works. */
export function namesModel({ class: cls, model, message, evidence }: Failure): boolean {
  if (cls !== 'throttle' || model === undefined || model === '') return false
  const said = `${message}\n${evidence.excerpt}`.toLowerCase()
  const name = model.toLowerCase()
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return said.includes(bare) || /\b(?:this|the (?:requested|selected|current)) model\b/.test(said)
}

/** The models a limit applies to, by the names that the failure and the call used; undefined for the whole quota. */
export function modelsOf(failure: Failure, called: string | undefined): readonly (string | undefined)[] {
  if (!namesModel(failure)) return [undefined]
  return called === undefined || called === failure.model ? [failure.model] : [failure.model, called]
}

/** A short hash of a credential: enough to notice a change, too little to use. */
export function credentialHash(credential: string): string {
  return sha256(credential).slice(0, 16)
}
