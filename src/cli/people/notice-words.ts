import { momentInWords } from '../../daemon/words/failure-words.ts'
import type { Notice } from '../../ledger/notice.ts'

/** A notice for a terminal: one line, plus its details (unless `brief`) if it needs action or has a preview. */
export function noticeInWords(notice: Notice, now: number, { brief = false } = {}): string {
  const { id, createdAt, title, body, preview, priority, disposition, readAt, session } = notice
  const { resolvedAt, resolution } = notice
  const isOpen = disposition === 'actionable' && readAt === undefined && resolvedAt === undefined
  const head = [
    id,
    momentInWords(createdAt, now),
    ...(resolvedAt !== undefined ? ['resolved'] : isOpen ? [priority] : readAt === undefined ? [] : ['read']),
    ...(session === undefined ? [] : [`session ${session}`]),
    `${title}${resolution === undefined ? '' : ` (${resolution})`}`,
  ].join('  ')
  if (brief) return head
  const more = [...body.split('\n'), ...(preview === undefined ? [] : preview.split('\n'))]
  return isOpen || preview !== undefined ? [head, ...more.map(line => `    ${line}`)].join('\n') : head
}
