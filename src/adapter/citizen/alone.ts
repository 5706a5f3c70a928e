import type { EndingVerdict } from '../../ledger/settlement.ts'
import { verdictToJson } from '../../verdict/json.ts'
import type { EngineJob, Performed } from '../job/engine-job.ts'
import { withoutLabelPark } from '../job/job-run.ts'
import { toOutcome } from '../job/outcome.ts'
import { withRecord } from '../job/record.ts'

/**
 * How a job ends that was to wait in a ledger which cannot be reached: as in a worker without one. Nothing would ever move
 * a job that waits where nobody knows of it.
 */
export function alone(
  performed: Performed,
  { data }: Pick<EngineJob, 'data'>,
): { performed: Performed; verdict?: EndingVerdict } {
  const { outcome, record } = performed
  if (outcome.outcome !== 'park' || outcome.for !== 'label') return { performed }
  const { reason } = outcome
  const kind = record.failure?.kind ?? 'unknown'
  const park = { action: 'park', for: 'label', reason, rule: String(record.verdict?.rule ?? 'job') } as const
  const verdict = withoutLabelPark(park, { kind }) as Extract<EndingVerdict, { action: 'cancel' }>
  const own = { ...record, verdict: verdictToJson(verdict) }
  return {
    verdict,
    performed: {
      ...performed,
      outcome: toOutcome(verdict),
      record: own,
      data: performed.data && withRecord(data, own),
    },
  }
}
