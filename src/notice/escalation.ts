import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { oneLine, withoutControls } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Unknown } from '../ledger/unknown.ts'
import { isSurface } from '../provider/provider-name.ts'
import { timeToJson } from '../time/time-json.ts'
import type { Consequence } from './consequence.ts'
import { cut } from './cut.ts'
import { expiresAt } from './lifetime.ts'
import { LONGEST_TEXT, LONGEST_TITLE } from './message.ts'
import { resolvedByLabel } from './resolution.ts'
import { UNKNOWN } from './weight.ts'

/** An unknown failure to report to people. */
export interface Escalation {
  /** One per provider that it came from, oldest first; at least one. */
  unknowns: readonly Unknown[]
  /** Operations that wait for its label. */
  waiting: number
  /** Id of the event that caused it. */
  event?: number
  /** Epoch milliseconds. */
  at: number
}

/** What follows from seeing an unknown failure: people are asked once, and the message keeps up with what it counts. */
export async function consequenceOfSighting(
  { id, at, data }: LedgerEvent,
  ledger: Pick<Ledger, 'unknown' | 'counts' | 'notices'>,
): Promise<Consequence> {
  const fingerprint = data?.fingerprint
  if (typeof fingerprint !== 'string' || isSurface(data?.provider as string | undefined)) return {}
  const unknowns = await ledger.unknown(fingerprint)
  if (unknowns.length === 0) return {}
  const { parkedFor } = await ledger.counts({ fingerprint, parkedFor: 'label' })
  const first = escalationOf({ unknowns, waiting: parkedFor.label ?? 0, event: id, at })
  const isNew = unknowns.every(
    ({ escalatedAt }) => escalatedAt === undefined || dayOf(escalatedAt) === dayOf(at),
  )
  const { items: open } = await ledger.notices({ fingerprint, type: 'unknown', open: true }, { limit: 1 })
  const later = isNew ? [] : [repeatOf(first, dayOf(at), at)]
  // The open one may be that of a withdrawn label.
  const key = open[0]?.key ?? first.key
  return { escalation: { fingerprint, first: { ...first, key }, isOpen: open.length > 0, later } }
}

/** What follows from withdrawing a label: the failure is unknown again, so people are asked again. */
export async function consequenceOfWithdrawal(
  { id, at, data }: LedgerEvent,
  ledger: Pick<Ledger, 'unknowns' | 'counts' | 'notices'>,
): Promise<Consequence> {
  const fingerprint = data?.fingerprint
  if (typeof fingerprint !== 'string') return {}
  const { items: unknowns } = await ledger.unknowns(
    { fingerprint, labelled: false },
    { limit: MOST_PROVIDERS },
  )
  const { items: open } = await ledger.notices({ fingerprint, type: 'unknown', open: true }, { limit: 1 })
  if (unknowns.length === 0 || open.length > 0) return {}
  const { parkedFor } = await ledger.counts({ fingerprint, parkedFor: 'label' })
  const asked = escalationOf({ unknowns, waiting: parkedFor.label ?? 0, event: id, at })
  const who = typeof data?.by === 'string' ? ` by ${oneLine(data.by)}` : ''
  const body = cut(`Its label was withdrawn${who}.\n${asked.body}`, LONGEST_TEXT)
  return { notices: [{ ...asked, key: `${asked.key}:withdrawn:${id}`, body }] }
}

/** Most providers of one failure that a message names. */
const MOST_PROVIDERS = 50

/** What follows from a label: nobody needs to act, unless the failure of another provider still has none. */
export async function consequenceOfLabel(
  { data }: LedgerEvent,
  ledger: Pick<Ledger, 'unknowns'>,
): Promise<Consequence> {
  const fingerprint = data?.fingerprint
  if (typeof fingerprint !== 'string') return {}
  const { items } = await ledger.unknowns({ fingerprint, labelled: false }, { limit: 1 })
  return items.length > 0 ? {} : { resolved: [resolvedByLabel(fingerprint, data?.by)] }
}

function dayOf(at: number): string {
  return timeToJson(at).slice(0, 10)
}

/**
 * The notice for an escalated failure that returns on a later day, still without a label. Only issue trackers get it:
 * they comment if their issue was closed.
 */
function repeatOf(notice: NewNotice, day: string, at: number): NewNotice {
  return {
    ...notice,
    key: `${notice.key}:again:${day}`,
    disposition: 'information',
    expiresAt: expiresAt('information', at),
    readAt: at,
  }
}

/** Asks people to label a failure. Made once per fingerprint, and again if its label is withdrawn. */
export function escalationOf({ unknowns, waiting, event, at }: Escalation): NewNotice {
  const [first] = unknowns as readonly [Unknown, ...Unknown[]]
  const { fingerprint, provider } = first
  return {
    key: `unknown:${fingerprint}`,
    ...present({ event }),
    type: 'unknown',
    ...UNKNOWN,
    ...present({ provider }),
    fingerprint,
    title: titleOf(first),
    body: bodyOf(unknowns, waiting),
    expiresAt: expiresAt(UNKNOWN.disposition, at),
  }
}

function titleOf(unknown: Unknown): string {
  const said = unknown.samples[0]?.failure.message ?? unknown.fingerprint
  const who = whoOf(unknown)
  return cut(redact(oneLine(`Unknown failure${who && ` of ${who}`}: ${said}`)), LONGEST_TITLE)
}

/** Provider and model, as far as they are known; empty if neither is. */
function whoOf({ provider, models: [model] }: Unknown): string {
  return [provider, model].filter(each => each !== undefined).join('/')
}

function bodyOf(unknowns: readonly Unknown[], waiting: number): string {
  const [{ fingerprint }] = unknowns as readonly [Unknown, ...Unknown[]]
  const label = `mulligan unknowns label ${fingerprint} CLASS`
  const head = [
    'No rule or label matches this failure yet.',
    `Fingerprint: ${fingerprint}`,
    ...unknowns.map(
      unknown => `${whoOf(unknown) ? `${whoOf(unknown)}: seen` : 'Seen'} ${seenInWords(unknown)}`,
    ),
    waiting === 0
      ? 'No operation waits for it.'
      : `${waiting === 1 ? '1 operation waits' : `${waiting} operations wait`} for it.`,
  ].join('\n')
  const effect =
    waiting === 0
      ? 'Label it, and the next such failure is recognised'
      : 'Label it once, and everything that waits for it is decided by the label: run again, wait, or end'
  const foot = `${effect}:\n  ${label}\nCLASS is throttle, transient, timeout or permanent. Details: mulligan unknowns show ${fingerprint}`
  const samples = unknowns
    .flatMap(({ samples }) => samples)
    .map(({ at, failure }) => `${timeOf(at)}:\n${withoutControls(failure.text ?? failure.message)}`)
  // Samples are cut to fit; the command after them never is.
  const room = LONGEST_TEXT - head.length - foot.length - 4
  return cut(`${head}\n\n${cut(redact(samples.join('\n\n')), Math.max(0, room))}\n\n${foot}`, LONGEST_TEXT)
}

/** How often and when; one that was seen once has no first and last. */
function seenInWords({ count, firstSeenAt, lastSeenAt }: Unknown): string {
  return count === 1
    ? `once, at ${timeOf(lastSeenAt)}`
    : `${count} times, first ${timeOf(firstSeenAt)}, last ${timeOf(lastSeenAt)}`
}

function timeOf(at: number): string {
  return timeToJson(at)
}
