import type { Config } from '../config/schema/config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PrunePolicy } from '../ledger/upkeep.ts'
import { RETENTION_KEYS, type RetentionKey } from './retention-keys.ts'

/** Shortest time that events are kept, in milliseconds: 1 h, as in the config. */
export const LEAST_EVENTS_MS = 3_600_000

/** How long something is kept, and who says so: the config, or the ledger for every host that uses it. */
export interface Retention {
  key: RetentionKey
  afterMs: number
  setIn: 'config' | 'ledger'
}

const SETTING = 'retention'
const POLICY_KEYS = {
  succeeded: 'succeededAfterMs',
  dead: 'deadAfterMs',
  events: 'eventsAfterMs',
  workflows: 'workflowsAfterMs',
} as const satisfies Record<RetentionKey, keyof PrunePolicy>

/** How long history is kept. What was set in the ledger comes first, so that hosts that share it do not disagree. */
export async function retentionOf(
  ledger: Pick<Ledger, 'setting'>,
  config: Config,
): Promise<readonly Retention[]> {
  const set = await storedIn(ledger)
  const { prune } = config.queue
  return RETENTION_KEYS.map(key => {
    const inLedger = set[key]
    return inLedger === undefined
      ? { key, afterMs: prune[`${key}Ms`], setIn: 'config' }
      : { key, afterMs: inLedger, setIn: 'ledger' }
  })
}

/** What to delete by the retention in force. */
export async function retentionPolicy(ledger: Pick<Ledger, 'setting'>, config: Config): Promise<PrunePolicy> {
  const kept = await retentionOf(ledger, config)
  return Object.fromEntries(kept.map(({ key, afterMs }) => [POLICY_KEYS[key], afterMs]))
}

/** Sets how long history is kept in a ledger; `null` returns to the config. Other keys stay as they are. */
export async function setRetention(
  ledger: Pick<Ledger, 'setting' | 'setSetting'>,
  changes: Partial<Record<RetentionKey, number | null>>,
): Promise<void> {
  const all = { ...(await storedIn(ledger)), ...changes }
  const set = Object.entries(all).filter(([, afterMs]) => afterMs !== null)
  await ledger.setSetting(SETTING, set.length > 0 ? Object.fromEntries(set) : undefined)
}

/** Ignores what a newer version may have stored. */
async function storedIn(ledger: Pick<Ledger, 'setting'>): Promise<Partial<Record<RetentionKey, number>>> {
  const stored = ((await ledger.setting(SETTING)) ?? {}) as Record<string, unknown>
  const known = RETENTION_KEYS.flatMap(key => {
    const ms = stored[key]
    return typeof ms === 'number' && ms >= 0 ? [[key, ms] as const] : []
  })
  return Object.fromEntries(known)
}
