import { shellWord } from '../config/shell-word.ts'
import type { Notice } from '../ledger/notice.ts'
import { momentInWords } from './failure-words.ts'

/** A notice for a terminal: one line, and, unless in brief, more below it if action is needed. */
export function noticeInWords(notice: Notice, now: number, { brief = false } = {}): string {
  const { id, createdAt, title, body, preview, priority, disposition, readAt, session } = notice
  const isOpen = disposition === 'actionable' && readAt === undefined
  const head = [
    id,
    momentInWords(createdAt, now),
    ...(isOpen ? [priority] : readAt === undefined ? [] : ['read']),
    ...(session === undefined ? [] : [`session ${session}`]),
    title,
  ].join('  ')
  if (brief) return head
  const more = [...body.split('\n'), ...(preview === undefined ? [] : preview.split('\n'))]
  return isOpen || preview !== undefined ? [head, ...more.map(line => `    ${line}`)].join('\n') : head
}

/** Why a session should not end yet, for the agent in it. */
export function reasonToGoOn(held: readonly Notice[], session: string): string {
  const lines = held.flatMap(({ id, title, body }) => [
    `${id}: ${title}`,
    ...body.split('\n').map(line => `  ${line}`),
  ])
  const ids = held.map(({ id }) => `--read ${id}`).join(' ')
  return [
    `Mulligan has ${held.length === 1 ? 'something' : `${held.length} things`} for this session that ${held.length === 1 ? 'needs' : 'need'} action:`,
    ...lines,
    `Act on it or tell the user, then: mulligan inbox --session ${shellWord(session)} ${ids}`,
  ].join('\n')
}
