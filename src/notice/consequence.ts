import type { DeliveryEnd } from '../ledger/delivery.ts'
import type { LedgerTransaction } from '../ledger/ledger.ts'
import type { NewNotice, ResolvedBy, WhileOpen } from '../ledger/notice.ts'
import { answerOf, type Writing } from '../ledger/writing.ts'

/** A notice that was made, with its id. */
export type MadeNotice = NewNotice & { id: string }

/** Open notices whose cause is gone. */
export interface Resolution {
  which: ResolvedBy
  /** What removed the cause, for people. */
  why: string
  /** A notice that this is so, made only if one was open. Default none. */
  tell?: NewNotice
}

/** What an event causes to be written, in the transaction that moves the cursor past it. */
export interface Consequence {
  /** Written before the new notices: a new one is not resolved by its own event. */
  resolved?: readonly Resolution[]
  notices?: readonly NewNotice[]
  /** A notice that is made once while its cause lasts. */
  standing?: { notice: NewNotice; whileOpen: WhileOpen }
  /** Deliveries that ended. */
  settled?: readonly { id: string; end: DeliveryEnd }[]
  /** An unknown failure: its first notice ever, which gets new words while it is open, or the later ones. */
  escalation?: { fingerprint: string; first: NewNotice; isOpen: boolean; later: readonly NewNotice[] }
}

/** Writes what follows from an event. */
export function* carryOut(
  writes: LedgerTransaction,
  { resolved = [], notices = [], standing, settled = [], escalation }: Consequence,
  made: MadeNotice[],
): Writing<void> {
  const add = function* (notice: NewNotice, whileOpen?: WhileOpen): Writing<void> {
    const { id, created } = yield* answerOf(writes.addNotice(notice, whileOpen))
    if (created) made.push({ ...notice, id })
  }
  for (const { id, end } of settled) yield* answerOf(writes.settleDelivery(id, end))
  for (const { which, why, tell } of resolved) {
    const count = yield* answerOf(writes.resolveNotices(which, why))
    if (count > 0 && tell) yield* add(tell)
  }
  for (const notice of notices) yield* add(notice)
  if (standing) yield* add(standing.notice, standing.whileOpen)
  if (!escalation) return
  const isFirst = yield* answerOf(writes.markEscalated(escalation.fingerprint))
  if (isFirst || escalation.isOpen) yield* add(escalation.first, 'update')
  if (!isFirst) for (const later of escalation.later) yield* add(later)
}
