import { recordChange } from '../../ledger/change.ts'
import { deliveryCapabilityOf } from '../../ledger/delivery-name.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DeliveryParams } from '../delivery.ts'
import type { PressAction } from '../surface/button.ts'

/** A button that somebody pressed on a message. */
export interface Press {
  action: PressAction
  /** Id of the message, as it was sent with the button. */
  message: string
  /** Where the message with the button is, as its surface returned it. */
  reference: string
  /** Who pressed, for the record. */
  by: string
}

/** What a press did: `done`, `again` if it was done before, `unknown` if no message of this surface has this button. */
export type Pressed = 'done' | 'again' | 'unknown'

/** How long a snooze by a button lasts, in milliseconds: 1 hour. */
export const PRESS_SNOOZE_MS = 3_600_000

const SAID: Record<Pressed, Record<PressAction, string>> = {
  done: { read: 'Marked as read', snooze: 'Snoozed for 1 hour' },
  again: { read: 'Already read or resolved', snooze: 'Already snoozed, read or resolved' },
  unknown: { read: 'This message is no longer known', snooze: 'This message is no longer known' },
}

/** What the person who pressed is told. */
export function saidOf(did: Pressed, action: PressAction): string {
  return SAID[did][action]
}

const MOST_IN_MESSAGE = 1_000

/** Does what a button says to the notices of its message. A repeated press does nothing. */
export async function press(
  ledger: Pick<Ledger, 'find' | 'deliveries' | 'transaction'>,
  surface: string,
  { action, message, reference, by }: Press,
  now: number,
): Promise<Pressed> {
  const operation = await ledger.find(deliveryCapabilityOf(surface), message)
  if (operation === undefined) return 'unknown'
  const { items } = await ledger.deliveries({ operation: operation.id, surface }, { limit: MOST_IN_MESSAGE })
  // A reminder has no deliveries of its own, so its place is only in its result.
  const told = items.find(delivery => delivery.reference !== undefined)?.reference
  const sent = told ?? (operation.state === 'succeeded' ? referenceIn(operation.result) : undefined)
  if (sent !== reference) return 'unknown'
  const { notices } = operation.params as DeliveryParams
  const ids = [...new Set([...notices, ...items.map(({ notice }) => notice)])]
  const changed = await ledger.transaction(writes =>
    action === 'read' ? writes.readNotices(ids, by) : writes.snoozeNotices(ids, now + PRESS_SNOOZE_MS),
  )
  if (changed === 0) return 'again'
  await recordChange(ledger, { by, via: 'button', action: ACTIONS[action], subject: ids[0] as string })
  return 'done'
}

const ACTIONS: Record<PressAction, string> = { read: 'mark as read', snooze: 'snooze 1 h' }

function referenceIn(result: unknown): string | undefined {
  const { reference } = (result ?? {}) as { reference?: unknown }
  return typeof reference === 'string' ? reference : undefined
}
