import type { Failure } from '../failure/failure.ts'
import type { ClearedBy } from './block.ts'
import type { WindowUse } from './window-use.ts'

/** What a block covers: one credential at a provider (as a hash, if known), a whole quota, or one model of it. */
export type BlockScope = { provider: string; credential?: string } | { quota: string; model?: string }

/** One transition in the health of the providers. `at` is in epoch milliseconds. */
export type HealthEvent = { at: number } & (
  | { type: 'breaker.opened'; provider: string; model?: string; until: number; failure?: Failure }
  | { type: 'breaker.half_open'; provider: string; model?: string }
  | { type: 'breaker.closed'; provider: string; model?: string; by: 'success' | 'reset' }
  | { type: 'blocked'; scope: BlockScope; until?: number; failure: Failure }
  /** A limit without a stated time was met: nobody goes before `until`, then calls follow one after another. */
  | { type: 'paced'; scope: BlockScope; until: number; failure: Failure }
  | { type: 'cleared'; scope: BlockScope; by: ClearedBy; failure: Failure }
  | { type: 'window.near'; quota: string; model?: string; use: WindowUse }
  | { type: 'window.exhausted'; quota: string; model?: string; use: WindowUse }
  | { type: 'fleet.reached'; use: WindowUse }
  | { type: 'fleet.rolled' }
  /** The preferred provider of a pool serves again. */
  | { type: 'returned'; provider: string; from: string }
  | { type: 'paused'; provider: string; reason?: string }
  | { type: 'resumed'; provider: string }
)

export type HealthEventType = HealthEvent['type']

/** Transitions that may change whether a provider admits calls. */
const ADMITTING: ReadonlySet<HealthEventType> = new Set([
  'breaker.opened',
  'breaker.closed',
  'blocked',
  'paced',
  'cleared',
  'window.exhausted',
  'fleet.reached',
  'fleet.rolled',
])

/** Whether a transition may change which providers admit calls. */
export function changesAdmission({ type }: HealthEvent): boolean {
  return ADMITTING.has(type)
}
