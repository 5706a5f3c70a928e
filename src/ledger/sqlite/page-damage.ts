import type { DatabaseSync } from 'node:sqlite'

/** Of a larger file, pages are not verified on the way out: that would take longer than a stop may. */
const QUICK_TO_VERIFY_BYTES = 64 * 2 ** 20

/** What SQLite finds wrong with the pages; undefined if nothing, or if there are too many to look at. */
export function pageDamage(db: DatabaseSync): string | undefined {
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  if (bytes > QUICK_TO_VERIFY_BYTES) return undefined
  // What is in memory is right, and hides what is on the disk.
  db.exec('PRAGMA shrink_memory')
  const { quick_check: found } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  return found === 'ok' ? undefined : found
}
