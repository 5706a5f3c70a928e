import { catchUpNotices } from '../../../notice/catch-up.ts'
import { markRead } from '../../../notice/inbox.ts'
import type { Facilities } from '../../http/facilities.ts'

/** More than this is "many". */
const MOST_COUNTED = 50

/** An answer is worth more than a count that goes with it: told an error instead, an agent would do its work again. */
const NOTHING = () => ({})

/** How many notices of a session are unread, for an answer that is about something else. Nothing if there are none. Never rejects. */
export async function unreadOf(
  facilities: Facilities,
  session: string | undefined,
): Promise<{ inbox_unread?: number }> {
  if (session === undefined) return {}
  return catchUpNotices(facilities.ledger, facilities.time)
    .then(() => countOf(facilities, session))
    .catch(NOTHING)
}

async function countOf({ ledger }: Facilities, session: string): Promise<{ inbox_unread?: number }> {
  const { items } = await ledger.notices({ session, unread: true }, { limit: MOST_COUNTED })
  return items.length === 0 ? {} : { inbox_unread: items.length }
}

/**
 * The same for an answer that tells how an operation stands: its notices are read with it, but for what the session can do
 * something about later. Never rejects.
 */
export function unreadAfter(
  facilities: Facilities,
  session: string | undefined,
  operation: string,
): Promise<{ inbox_unread?: number }> {
  if (session === undefined) return Promise.resolve({})
  return readWith(facilities, session, operation)
    .then(() => countOf(facilities, session))
    .catch(NOTHING)
}

/** Marks as read what the answer about an operation tells. */
async function readWith({ ledger, time }: Facilities, session: string, operation: string): Promise<void> {
  await catchUpNotices(ledger, time)
  const { items } = await ledger.notices({ session, operation, unread: true }, { limit: MOST_COUNTED })
  const told = items.filter(({ type, disposition }) => type === 'dead' || disposition === 'information')
  if (told.length > 0)
    await markRead(
      ledger,
      told.map(({ id }) => id),
      session,
    )
}
