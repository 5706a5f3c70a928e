import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { PROVIDER_TROUBLES } from './about-provider.ts'
import { workflowCauseOf, workflowRunOf } from './about-workflow.ts'
import type { Resolution } from './consequence.ts'

/** Events that may remove the cause of a notice about an operation. */
export const RESOLVING_EVENTS: readonly EventType[] = [
  'revived',
  'unparked',
  'retrying',
  'snoozed',
  'dead',
  'succeeded',
  'discarded',
]

/** The notices about an operation that an event resolves. */
export function resolvedOfOperation({ type, operation, data }: LedgerEvent): readonly Resolution[] {
  if (operation === undefined) return []
  switch (type) {
    case 'revived':
      return [{ which: { operation, types: ['dead'] }, why: 'it was started again' }]
    case 'unparked':
      return [{ which: { operation, types: ['parked'] }, why: 'it continues' }]
    case 'retrying':
    case 'snoozed':
      // A new verdict about a parked operation, after a label.
      return data?.by === undefined
        ? []
        : [{ which: { operation, types: ['parked'] }, why: 'its failure has a label, so it continues' }]
    case 'dead':
      return [{ which: { operation, types: ['parked'] }, why: 'it ended' }]
    case 'succeeded':
      return data?.marked_by === undefined
        ? []
        : [{ which: { operation, types: ['parked', 'dead'] }, why: `marked as done by ${data.marked_by}` }]
    case 'discarded':
      return [{ which: { operation, types: ['parked', 'dead'] }, why: 'it was deleted' }]
    default:
      return []
  }
}

/** The notices about a provider that are resolved once it has served. */
export function resolvedByServing(provider: string): Resolution {
  return { which: { provider, types: PROVIDER_TROUBLES }, why: `${provider} works again` }
}

/** The notices that ask a person to do something about a provider, once the person says that it is done. */
export function resolvedByReset(provider: string, by: unknown): Resolution {
  const why = by === 'reset' ? `${provider} was reset by a person` : `${provider} has a new credential`
  return { which: { provider, types: ['login', 'billing', 'limit'] }, why }
}

/** The notices about a failure that has a label now. */
export function resolvedByLabel(fingerprint: string, by: unknown): Resolution {
  const why = typeof by === 'string' ? `labelled by ${by}` : 'it has a label'
  return { which: { fingerprint, types: ['unknown', 'label_proposed'] }, why }
}

/** The notices about a workflow run that an event resolves: an answer only those about its question. */
export function resolvedOfWorkflow(event: LedgerEvent): readonly Resolution[] {
  const run = workflowRunOf(event)
  if (run === undefined) return []
  const { action, by, state, step } = event.data ?? {}
  const types = ['workflow']
  switch (event.type) {
    case 'workflow_changed':
      return [
        { which: { cause: workflowCauseOf(run), types }, why: `${action} by ${by}` },
        ...(typeof step === 'string'
          ? [{ which: { cause: workflowCauseOf(run, step), types }, why: `${action} by ${by}` }]
          : []),
      ]
    case 'workflow_ended':
      return [{ which: { causeWithin: workflowCauseOf(run), types }, why: `the run ${state}` }]
    default:
      return []
  }
}
