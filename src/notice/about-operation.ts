import type { FailureClass } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { LONGEST_PREVIEW, type NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { workInWords } from '../ledger/work-words.ts'
import { shellWord } from '../option/shell-word.ts'
import { isProviderNeed, nextStepOf } from '../provider/next-step.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import { cut } from './cut.ts'
import { expiresAt } from './lifetime.ts'
import { DEAD, PARKED, SUCCEEDED, TOLD_ELSEWHERE, type Weight } from './weight.ts'

/** Causes with a notice of their own, one per provider or fingerprint: people hear of those, not of each waiting operation. */
const TOLD_BY_CAUSE: ReadonlySet<ParkReason> = new Set(['label', 'login', 'payment'])
/** Failures that a provider as a whole is responsible for, whatever the operation was. */
const OF_PROVIDER: ReadonlySet<FailureClass> = new Set(['throttle', 'transient', 'timeout'])
/** What started an operation whose end is told by a notice of its own: about the schedule, or the workflow run. */
const TOLD_BY_PARENT: ReadonlySet<string> = new Set(['cron', 'workflow'])

/** Whether the end of an operation is told by the notice about its schedule or workflow run. */
export function isToldByParent({ source }: Pick<Operation, 'source'>): boolean {
  return TOLD_BY_PARENT.has(source)
}

/** Whether what an operation is parked for is told by a notice about its provider or its unknown failure. */
export function isToldByCause(reason: ParkReason, { providers }: Pick<Operation, 'providers'>): boolean {
  return TOLD_BY_CAUSE.has(reason) && (providers.length > 0 || reason === 'label')
}

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
  const { id, capability, session } = operation
  // A session that waits for it is told in any case.
  const isTold = isToldByParent(operation) && session === undefined
  return [
    notice(event, operation, isTold ? TOLD_ELSEWHERE : weight, {
      type: 'dead',
      title: `${workInWords(capability)} ${words}`,
      lines: [...whyOf(event, operation), `Details: mulligan ops show ${id}`, ...wayBack(as, id)],
      ...deathCauseOf(event, operation, as),
    }),
  ]
}

/** How a person runs it again. What may have happened is refused without the flag. */
function wayBack(as: CancelReason, id: string): string[] {
  if (as === 'cancelled') return []
  const retry = `mulligan ops retry ${id}`
  return as === 'unverifiable'
    ? [`Check whether it happened. To run it again all the same: ${retry} --may-repeat`]
    : [`Run it again: ${retry}`]
}

/**
 * Why an operation died, as the filter that finds all that died of the same: its provider, if that could not serve, else
 * the failure itself. None for one that may have taken effect, which needs a look of its own, or that a person ended.
 */
function deathCauseOf(
  { data = {} }: LedgerEvent,
  operation: Operation,
  as: CancelReason,
): { cause?: string } {
  const { capability, failure } = operation
  if (as === 'unverifiable' || as === 'cancelled') return {}
  const { provider, class: cls, fingerprint = failure?.fingerprint } = data
  const isOfProvider = typeof provider === 'string' && OF_PROVIDER.has(cls as FailureClass)
  if (isOfProvider) return { cause: `--state dead --provider ${shellWord(provider)} --class ${cls}` }
  // Without a failure, all that died otherwise would be found too.
  const same = typeof fingerprint === 'string' ? ` --fingerprint ${fingerprint}` : ` --as ${as}`
  return { cause: `--state dead --capability ${shellWord(capability)}${same}` }
}

function parkedNotices(event: LedgerEvent, operation: Operation): NewNotice[] {
  const reason = event.data?.for as ParkReason
  const standing = PARKED[reason]
  const { id, capability, session } = operation
  if (standing === undefined || (session === undefined && isToldByCause(reason, operation))) return []
  return [
    notice(event, operation, session === undefined ? standing.people : standing.session, {
      type: 'parked',
      title: `${workInWords(capability)} ${standing.words}`,
      lines: [
        ...whyOf(event, operation),
        ...(isProviderNeed(reason) ? [nextStepOf(reason, operation, providerOf(event))] : []),
        `Details: mulligan ops show ${id}`,
      ],
      cause: `--parked-for ${reason} --capability ${shellWord(capability)}`,
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
        title: `${workInWords(capability)} succeeded`,
        lines: [`Full result: mulligan ops show ${id}`],
      }),
      // It needs no action, so it starts out read.
      readAt: event.at,
      ...present({ preview }),
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
  { type, title, lines, cause }: { type: string; title: string; lines: readonly string[]; cause?: string },
): NewNotice {
  const provider = providerOf(event)
  return {
    key: `event:${event.id}`,
    event: event.id,
    type,
    ...weight,
    operation: id,
    ...present({ session, provider, cause }),
    title: redact(oneLine(title)),
    body: [id, ...lines].join('\n'),
    expiresAt: expiresAt(weight.disposition, event.at),
  }
}

function providerOf({ data }: LedgerEvent): string | undefined {
  return typeof data?.provider === 'string' ? data.provider : undefined
}

function whyOf(event: LedgerEvent, { failure, reason }: Operation): string[] {
  const { data } = event
  const said = typeof data?.reason === 'string' ? data.reason : reason
  const by = providerOf(event)
  const provider = by === undefined ? '' : `${by}: `
  return [
    ...(failure === undefined ? [] : [`${provider}${failure.class}/${failure.kind}: ${failure.message}`]),
    ...(said === undefined || said === failure?.message ? [] : [said]),
  ].map(line => redact(oneLine(line)))
}
