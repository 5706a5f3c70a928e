import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { LONGEST_PREVIEW, type NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import { cut } from './cut.ts'
import { expiresAt } from './lifetime.ts'
import { DEAD, PARKED, SUCCEEDED, type Weight } from './weight.ts'

/** Causes with a notice of their own, one per provider or fingerprint: people hear of those, not of each waiting operation. */
const TOLD_BY_CAUSE: ReadonlySet<ParkReason> = new Set(['label', 'login', 'payment'])

/** The notices for an operation that ended or waits: for its session, or for people if it has none. */
export function noticesAboutOperation(event: LedgerEvent, operation: Operation): NewNotice[] {
  switch (event.type) {
    case 'dead':
      return deadNotices(event, operation)
    case 'parked':
      return parkedNotices(event, operation)
    case 'succeeded':
      return isUnattended(event, operation) ? succeededNotices(event, operation) : []
    default:
      return []
  }
}

/** Whether no caller waits for the result. One that waits gets it from the call. */
function isUnattended({ run = 1 }: LedgerEvent, { source, session }: Operation): boolean {
  return source === 'run' ? run > 1 : session !== undefined
}

function deadNotices(event: LedgerEvent, operation: Operation): NewNotice[] {
  const as = event.data?.as as CancelReason
  const { words, ...weight } = DEAD[as] ?? DEAD.refused
  const { id, capability } = operation
  const again = as === 'cancelled' ? [] : [`Run it again: mulligan ops retry ${id}`]
  return [
    notice(event, operation, weight, {
      type: 'dead',
      title: `${capability} ${words}`,
      lines: [...whyOf(event, operation), `Details: mulligan ops show ${id}`, ...again],
    }),
  ]
}

function parkedNotices(event: LedgerEvent, operation: Operation): NewNotice[] {
  const reason = event.data?.for as ParkReason
  const standing = PARKED[reason]
  const { id, capability, session, providers } = operation
  const cause = providers.length > 0 || reason === 'label'
  if (standing === undefined || (session === undefined && cause && TOLD_BY_CAUSE.has(reason))) return []
  return [
    notice(event, operation, session === undefined ? standing.people : standing.session, {
      type: 'parked',
      title: `${capability} ${standing.words}`,
      lines: [...whyOf(event, operation), `Details: mulligan ops show ${id}`],
    }),
  ]
}

function succeededNotices(event: LedgerEvent, operation: Operation): NewNotice[] {
  const { id, capability } = operation
  const result = operation.state === 'succeeded' ? operation.result : undefined
  const preview = result === undefined ? undefined : previewOf(result)
  return [
    {
      ...notice(event, operation, SUCCEEDED, {
        type: 'succeeded',
        title: `${capability} succeeded`,
        lines: [`Full result: mulligan ops show ${id}`],
      }),
      // It needs no action, so it starts out read.
      readAt: event.at,
      ...(preview === undefined ? {} : { preview }),
    },
  ]
}

/** The start of a result. Redacted before it is cut, because half a secret would no longer be recognised. */
export function previewOf(result: unknown): string {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  return cut(redact(text), LONGEST_PREVIEW)
}

function notice(
  event: LedgerEvent,
  { id, session }: Operation,
  weight: Weight,
  { type, title, lines }: { type: string; title: string; lines: readonly string[] },
): NewNotice {
  const provider = event.data?.provider
  return {
    key: `event:${event.id}`,
    event: event.id,
    type,
    ...weight,
    operation: id,
    ...(session === undefined ? {} : { session }),
    ...(typeof provider === 'string' ? { provider } : {}),
    title: redact(oneLine(title)),
    body: [id, ...lines].join('\n'),
    expiresAt: expiresAt(weight.disposition, event.at),
  }
}

function whyOf({ data }: LedgerEvent, { failure, reason }: Operation): string[] {
  const said = typeof data?.reason === 'string' ? data.reason : reason
  const provider = typeof data?.provider === 'string' ? `${data.provider}: ` : ''
  return [
    ...(failure === undefined ? [] : [`${provider}${failure.class}/${failure.kind}: ${failure.message}`]),
    ...(said === undefined || said === failure?.message ? [] : [said]),
  ].map(line => redact(oneLine(line)))
}
