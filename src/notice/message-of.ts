import type { NoticeEvent } from '../config/schema/surface.ts'
import { present } from '../failure/present.ts'
import { NOTICE_PRIORITIES, type Notice } from '../ledger/notice.ts'
import { timeToJson } from '../time/time-json.ts'
import { cut } from './cut.ts'
import { LONGEST_TEXT, LONGEST_TITLE, type Message } from './message.ts'

/** Most notices that one message lists. */
const MOST_LISTED = 10

/** One message for notices of the same event; several of one cause become a list with a count and the cause. */
export function messageOf(id: string, notices: readonly [Notice, ...Notice[]]): Message {
  const [first] = notices
  const only = notices.length === 1
  const fingerprint = sameIn(notices, ({ fingerprint }) => fingerprint)
  const provider = sameIn(notices, ({ provider }) => provider)
  const resolved = resolvedOf(notices)
  const title = only ? first.title : titleOf(notices)
  const text = only ? textOf(first) : listOf(notices)
  return {
    id,
    event: first.type as NoticeEvent,
    priority: notices
      .map(({ priority }) => priority)
      .reduce((a, b) => (NOTICE_PRIORITIES.indexOf(b) > NOTICE_PRIORITIES.indexOf(a) ? b : a)),
    count: notices.length,
    title: cut(resolved ? `Resolved: ${title}` : title, LONGEST_TITLE),
    text: cut(resolved ? `${momentOf(resolved.at)}: ${resolved.why}\n\n${text}` : text, LONGEST_TEXT),
    at: Math.min(...notices.map(({ createdAt }) => createdAt)),
    notices: notices.map(notice => notice.id),
    ...present({ fingerprint, provider }),
    ...(only && first.operation !== undefined ? { operation: first.operation } : {}),
    ...(resolved ? { resolved } : {}),
    ...(notices.some(isToActOn) ? { needsAction: true } : {}),
  }
}

function isToActOn({ disposition, readAt, resolvedAt }: Notice): boolean {
  return disposition === 'actionable' && readAt === undefined && resolvedAt === undefined
}

/** What ended the cause of all these notices; undefined while one of them is open. */
function resolvedOf(notices: readonly Notice[]): Message['resolved'] {
  if (notices.some(({ resolvedAt }) => resolvedAt === undefined)) return undefined
  const last = notices.reduce((a, b) => ((b.resolvedAt ?? 0) > (a.resolvedAt ?? 0) ? b : a))
  return { at: last.resolvedAt as number, why: last.resolution ?? 'its cause is gone' }
}

function momentOf(at: number): string {
  return `${timeToJson(at).slice(0, 16).replace('T', ' ')} UTC`
}

function textOf({ body, preview }: Notice): string {
  return cut(preview === undefined ? body : `${body}\n${preview}`, LONGEST_TEXT)
}

function titleOf(notices: readonly Notice[]): string {
  const cause = causeOf(notices)
  const said = `${notices.length} ${MANY[notices[0]?.type as NoticeEvent]}`
  return cause === undefined ? said : `${said}: ${cause}`
}

/** Why it happened to all of them: the second line of a notice about an operation. */
function causeOf(notices: readonly Notice[]): string | undefined {
  const [first] = notices
  const isShared = first?.cause !== undefined && sameIn(notices, ({ cause }) => cause) === first.cause
  return isShared && first?.operation !== undefined ? first.body.split('\n')[1] : undefined
}

function listOf(notices: readonly Notice[]): string {
  const [first] = notices
  const cause = causeOf(notices)
  const gone = notices.filter(({ resolvedAt }) => resolvedAt !== undefined).length
  // A notice about an operation or a workflow run begins with its id.
  const lines = notices.slice(0, MOST_LISTED).map(({ title, body, operation, type }) => {
    return operation === undefined && type !== 'workflow' ? title : `${body.split('\n')[0]}: ${title}`
  })
  const more = notices.length - MOST_LISTED
  return cut(
    [
      ...(gone > 0 && gone < notices.length ? [`${gone} of ${notices.length} are resolved.`] : []),
      ...(cause === undefined ? [] : [cause]),
      ...lines,
      ...(more > 0 ? [`and ${more} more`] : []),
      cause === undefined ? 'Full list: mulligan notices ls' : commandFor(first as Notice),
    ].join('\n'),
    LONGEST_TEXT,
  )
}

/** The one command that helps all operations of a cause, which is the filter that finds them. */
function commandFor({ type, cause }: Notice): string {
  return type === 'dead'
    ? `Once the cause is fixed, run them all again: mulligan ops retry ${cause} --yes`
    : `All of them: mulligan ops ls ${cause}`
}

const MANY: Readonly<Record<NoticeEvent, string>> = {
  dead: 'operations ended without success',
  parked: 'operations wait for a person',
  succeeded: 'operations succeeded after all',
  down: 'providers are down',
  limit: 'providers are at their limit',
  back: 'providers work again',
  billing: 'providers need payment',
  login: 'logins are refused',
  unknown: 'unknown failures',
  label_proposed: 'proposed labels',
  schedule_failing: 'schedules keep failing',
  schedule_recovered: 'schedules work again',
  workflow: 'workflows need attention or ended',
  config_trouble: 'problems with the config',
  ledger_trouble: 'problems with the ledger',
  test: 'test messages',
}

/** The value that all notices share; undefined if they differ. */
function sameIn(notices: readonly Notice[], of: (notice: Notice) => string | undefined): string | undefined {
  const [first] = notices
  const value = first && of(first)
  return notices.every(notice => of(notice) === value) ? value : undefined
}
