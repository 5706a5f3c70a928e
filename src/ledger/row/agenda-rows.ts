import { type Agenda, type AgendaQuery, MOST_STEPS } from '../agenda.ts'
import { isSurface } from '../delivery-name.ts'
import { LedgerError } from '../error.ts'

/** Number of operations due in a step, -1 for before the first, by their only provider. */
export interface DueCount {
  provider: string
  step: number
  n: number
}

/** Refuses an invalid number or length of steps. */
export function checkAgenda({ stepMs, steps }: AgendaQuery): void {
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS)
    throw new LedgerError('invalid', `steps must be an integer from 1 to ${MOST_STEPS}, not ${steps}`)
  if (!Number.isInteger(stepMs) || stepMs < 1)
    throw new LedgerError('invalid', `stepMs must be an integer of at least 1, not ${stepMs}`)
}

/** Builds an agenda from the counts. Deliveries of notices are left out: they wait for their surface. */
export function toAgenda(
  steps: number,
  rows: readonly DueCount[],
  held: readonly { provider: string; n: number }[],
): Agenda {
  const due = Array.from({ length: steps }, () => 0)
  const waiting: Record<string, number> = {}
  let [overdue, later] = [0, 0]
  for (const { provider, step, n } of rows) {
    if (isSurface(provider)) continue
    if (step < 0) overdue += n
    else if (step >= steps) later += n
    else due[step] = (due[step] as number) + n
    if (step >= 0 && provider !== '') waiting[provider] = (waiting[provider] ?? 0) + n
  }
  return {
    overdue,
    due,
    later,
    held: Object.fromEntries(
      held.filter(({ provider }) => !isSurface(provider)).map(({ provider, n }) => [provider, n]),
    ),
    waiting,
  }
}
