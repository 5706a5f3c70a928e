import type { EventType } from '../event.ts'
import type { OperationState } from '../operation.ts'

/** The types that the last event of an operation can have, by state. */
export const LAST_EVENTS: Record<OperationState, readonly EventType[]> = {
  scheduled: [
    'submitted',
    'retrying',
    'snoozed',
    'handed_back',
    'held',
    'freed',
    'edited',
    'revived',
    'unparked',
    // Of a citizen: its engine is asked.
    'cancel_requested',
  ],
  running: ['claimed', 'taken_over', 'attempted', 'recorded', 'cancel_requested'],
  parked: ['parked', 'edited'],
  succeeded: ['succeeded'],
  dead: ['dead'],
}
