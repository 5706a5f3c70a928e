import type { Notice } from '../ledger/notice.ts'
import { shellWord } from '../option/shell-word.ts'

/** Whether a notice keeps its session from ending. Information never does. */
export function preventsEnd({
  disposition,
  priority,
  readAt,
  resolvedAt,
  shownAt,
}: Pick<Notice, 'priority' | 'readAt' | 'resolvedAt' | 'shownAt'> & {
  /** Another program's notice may have none; it then counts as actionable, to be safe. */
  disposition: Notice['disposition'] | null | undefined
}): boolean {
  if (disposition === 'information' || readAt !== undefined || resolvedAt !== undefined) return false
  // High priority holds until the notice is read, anything else until it has been shown once.
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
