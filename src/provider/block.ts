import type { Failure, FailureKind } from '../failure/failure.ts'
import { sha256 } from './sha256.ts'
import { rebased } from './span.ts'

/**
 * A provider, a quota or one model of a quota that is left alone, and the failure that is why. Plain JSON, apart
 * from counters: what was spent stays what it is.
 */
export interface Block {
  /** Epoch milliseconds. */
  from: number
  /** Epoch milliseconds; null until it is cleared. */
  until: number | null
  failure: Failure
  /** Hash of the credential that was refused. */
  credential?: string
  /** That credential is the one of the provider's settings: another one there ends the block. */
  isConfigured?: true
  /** Set by a call that named no model: holds those as well, because they get the same one. */
  isUnnamed?: true
}

/** What ended a block. */
export type ClearedBy = 'time' | 'success' | 'probe' | 'doctor' | 'credential' | 'reset'

/**
 * The longer of two blocks: a short wait never shortens a long one. They are compared at the moment the second is set,
 * because a clock that was set back since then moves the end of the first.
 */
export function longer(present: Block | undefined, next: Block): Block {
  const standing = present && blockAt(present, next.from)
  return standing && endOf(standing) >= endOf(next) && standing.credential === next.credential
    ? standing
    : next
}

/** Epoch milliseconds, Infinity for a block that time does not end. */
export function endOf({ until }: Block): number {
  return until ?? Infinity
}

/** The block in force now: undefined once its time is over; started again if the clock was set back. */
export function blockAt(block: Block, now: number): Block | undefined {
  if (block.until === null) return block
  const current = rebased({ ...block, until: block.until }, now)
  return current.until > now ? (current.from === block.from ? block : current) : undefined
}

/** A failure as it is kept with a block: without the text for backtests, which the record of the try has. */
export function blocking(failure: Failure): Failure {
  const { text: _text, ...kept } = failure
  return kept
}

/** A refused login is of one credential; every other limit is of the quota. */
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

/** Whether a failure of a call that named its model is held against that model alone: others may be well. */
export function isOfModel(failure: Failure): boolean {
  return failure.class === 'throttle' ? namesModel(failure) : !OF_PROVIDER.has(failure.kind)
}

/** Whether a limit speaks of the model alone: then the rest of the quota goes on. */
export function namesModel({ class: cls, model, message, evidence }: Failure): boolean {
  if (cls !== 'throttle' || model === undefined || model === '') return false
  const said = `${message}\n${evidence.excerpt}`.toLowerCase()
  const name = model.toLowerCase()
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return said.includes(bare) || /\b(?:this|the (?:requested|selected|current)) model\b/.test(said)
}

/** What is kept of a credential: enough to see that it changed, too little to use. */
export function credentialHash(credential: string): string {
  return sha256(credential).slice(0, 16)
}
