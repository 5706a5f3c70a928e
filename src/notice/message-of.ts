import type { NoticeEvent } from '../config/schema/surface.ts'
import { NOTICE_PRIORITIES, type Notice } from '../ledger/notice.ts'
import { cut } from './cut.ts'
import { LONGEST_TEXT, LONGEST_TITLE, type Message } from './message.ts'

/** Most notices that one message lists. */
const MOST_LISTED = 10

/** One message for notices of the same event; a burst becomes a list with a count. */
export function messageOf(id: string, notices: readonly [Notice, ...Notice[]]): Message {
  const [first] = notices
  const only = notices.length === 1
  const fingerprint = sameIn(notices, ({ fingerprint }) => fingerprint)
  const provider = sameIn(notices, ({ provider }) => provider)
  return {
    id,
    event: first.type as NoticeEvent,
    priority: notices
      .map(({ priority }) => priority)
      .reduce((a, b) => (NOTICE_PRIORITIES.indexOf(b) > NOTICE_PRIORITIES.indexOf(a) ? b : a)),
    count: notices.length,
    title: cut(only ? first.title : `${notices.length} ${MANY[first.type as NoticeEvent]}`, LONGEST_TITLE),
    text: only ? textOf(first) : listOf(notices),
    at: Math.min(...notices.map(({ createdAt }) => createdAt)),
    notices: notices.map(notice => notice.id),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(provider === undefined ? {} : { provider }),
    ...(only && first.operation !== undefined ? { operation: first.operation } : {}),
  }
}

function textOf({ body, preview }: Notice): string {
  return cut(preview === undefined ? body : `${body}\n${preview}`, LONGEST_TEXT)
}

function listOf(notices: readonly Notice[]): string {
  const lines = notices
    .slice(0, MOST_LISTED)
    .map(({ title, operation }) => (operation === undefined ? title : `${operation}: ${title}`))
  const more = notices.length - MOST_LISTED
  return cut(
    [...lines, ...(more > 0 ? [`and ${more} more`] : []), 'Full list: mulligan notices ls'].join('\n'),
    LONGEST_TEXT,
  )
}

const MANY: Readonly<Record<NoticeEvent, string>> = {
  dead: 'operations ended without success',
  parked: 'operations wait for a person',
  succeeded: 'operations succeeded after all',
  down: 'providers are down',
  back: 'providers work again',
  billing: 'providers need payment',
  login: 'providers reject their login',
  unknown: 'unknown failures',
  label_proposed: 'proposed labels',
  schedule_failing: 'schedules keep failing',
  schedule_recovered: 'schedules work again',
  workflow: 'workflows need attention or ended',
  ledger_trouble: 'problems with the ledger',
  test: 'test messages',
}

/** The value that all notices share; undefined if they differ. */
function sameIn(notices: readonly Notice[], of: (notice: Notice) => string | undefined): string | undefined {
  const [first] = notices
  const value = first && of(first)
  return notices.every(notice => of(notice) === value) ? value : undefined
}
