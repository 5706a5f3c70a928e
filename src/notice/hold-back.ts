import { shellWord } from '../config/shell-word.ts'
import type { Notice } from '../ledger/notice.ts'

/** Whether a session must not end yet. What is only good to know never holds anybody back. */
export function holdsBack({
  disposition,
  priority,
  readAt,
  shownAt,
}: Pick<Notice, 'priority' | 'readAt' | 'shownAt'> & {
  /** A notice of another program may say nothing; then it takes no chance. */
  disposition: Notice['disposition'] | null | undefined
}): boolean {
  if (disposition === 'information' || readAt !== undefined) return false
  // What matters holds back until it was read; everything else once, so that it was seen.
  return priority === 'high' || priority === 'urgent' || shownAt === undefined
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
