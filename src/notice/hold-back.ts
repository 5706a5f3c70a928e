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
