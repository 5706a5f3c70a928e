import type { DeliveryEnd } from '../ledger/delivery.ts'
import type { LedgerTransaction, MaybePromise } from '../ledger/ledger.ts'
import { inOrder, whenThere } from '../ledger/maybe-promise.ts'
import type { NewNotice, ResolvedBy, WhileOpen } from '../ledger/notice.ts'

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

/** Writes what follows from an event. Avoids `await`: a synchronous database must also end its transaction synchronously. */
export function carryOut(
  writes: LedgerTransaction,
  { resolved = [], notices = [], standing, settled = [], escalation }: Consequence,
  made: MadeNotice[],
): MaybePromise<unknown> {
  const add = (notice: NewNotice, whileOpen?: WhileOpen): MaybePromise<void> =>
    whenThere(writes.addNotice(notice, whileOpen), ({ id, created }) => {
      if (created) made.push({ ...notice, id })
    })
  const steps: (() => MaybePromise<unknown>)[] = [
    ...settled.map(
      ({ id, end }) =>
        () =>
          writes.settleDelivery(id, end),
    ),
    ...resolved.map(
      ({ which, why, tell }) =>
        () =>
          whenThere(writes.resolveNotices(which, why), count => (count > 0 && tell ? add(tell) : undefined)),
    ),
    ...notices.map(notice => () => add(notice)),
    ...(standing ? [() => add(standing.notice, standing.whileOpen)] : []),
    ...(escalation
      ? [
          () =>
            whenThere(writes.markEscalated(escalation.fingerprint), isFirst =>
              isFirst || escalation.isOpen
                ? whenThere(add(escalation.first, 'update'), () =>
                    inOrder(isFirst ? [] : escalation.later, each => add(each)),
                  )
                : inOrder(escalation.later, each => add(each)),
            ),
        ]
      : []),
  ]
  return inOrder(steps, step => whenThere(step(), () => {}))
}
