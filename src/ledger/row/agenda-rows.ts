import { isSurface } from '../../provider/provider-name.ts'
import { type Agenda, type AgendaQuery, MOST_STEPS } from '../agenda.ts'
import { LedgerError } from '../error.ts'
import { providersIn } from './pool-key.ts'

/** Number of operations due in a step, -1 for before the first, by their providers: see `pool-key.ts`. */
export interface DueCount {
  provider: string
  step: number
  is_due: number | boolean
  n: number
}

/** Number of operations that another engine has. */
export interface EngineCount {
  engine: string
  n: number
}

/** Refuses an invalid number or length of steps. */
export function checkAgenda({ stepMs, steps }: AgendaQuery): void {
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS)
    throw new LedgerError('invalid', `steps must be an integer from 1 to ${MOST_STEPS}, not ${steps}`)
  if (!Number.isInteger(stepMs) || stepMs < 1)
    throw new LedgerError('invalid', `stepMs must be an integer of at least 1, not ${stepMs}`)
}

/**
 * Builds an agenda from the counts. Deliveries of notices are left out: they wait for their surface.
 * @param holders which due operations are held, and for which provider
 */
export function toAgenda(
  steps: number,
  rows: readonly DueCount[],
  elsewhere: readonly EngineCount[],
  holders: ReadonlyMap<string, string>,
): Agenda {
  const due = Array.from({ length: steps }, () => 0)
  const waiting: Record<string, number> = {}
  const held: Record<string, number> = Object.fromEntries(elsewhere.map(({ engine, n }) => [engine, n]))
  let [overdue, later] = [0, 0]
  for (const { provider, step, is_due: isDue, n } of rows) {
    if (isSurface(provider)) continue
    const holder = isDue ? holders.get(provider) : undefined
    if (holder !== undefined) {
      held[holder] = (held[holder] ?? 0) + n
      continue
    }
    if (step < 0) overdue += n
    else if (step >= steps) later += n
    else due[step] = (due[step] as number) + n
    const [only, ...others] = providersIn(provider)
    if (step >= 0 && only !== undefined && others.length === 0) waiting[only] = (waiting[only] ?? 0) + n
  }
  return { overdue, due, later, held, waiting }
}
