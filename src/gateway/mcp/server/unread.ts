import { catchUpNotices } from '../../../notice/catch-up.ts'
import { markRead } from '../../../notice/inbox.ts'
import type { Facilities } from '../../http/facilities.ts'

/** More than this is "many". */
const MOST_COUNTED = 50

/** How many notices of a session are unread, for an answer that is about something else. Nothing if there are none. */
export async function unreadOf(
  { ledger, time }: Facilities,
  session: string | undefined,
): Promise<{ inbox_unread?: number }> {
  if (session === undefined) return {}
  await catchUpNotices(ledger, time)
  const { items } = await ledger.notices({ session, unread: true }, { limit: MOST_COUNTED })
  return items.length === 0 ? {} : { inbox_unread: items.length }
}

/**
 * The same for an answer that tells how an operation stands: its notices are read with it, but for what the session can do
 * something about later.
 */
export async function unreadAfter(
  facilities: Facilities,
  session: string | undefined,
  operation: string,
): Promise<{ inbox_unread?: number }> {
  if (session === undefined) return {}
  const { ledger, time } = facilities
  await catchUpNotices(ledger, time)
  const { items } = await ledger.notices({ session, operation, unread: true }, { limit: MOST_COUNTED })
  const told = items.filter(({ type, disposition }) => type === 'dead' || disposition === 'information')
  if (told.length > 0)
    await markRead(
      ledger,
      told.map(({ id }) => id),
      session,
    )
  return unreadOf(facilities, session)
}
