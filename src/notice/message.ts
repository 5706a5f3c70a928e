import type { NoticeEvent } from '../config/schema/surface.ts'
import type { NoticePriority } from '../ledger/notice.ts'

/** A message for a surface: one notice, or several of the same event. All texts are redacted plain text, never markup. */
export interface Message {
  /** The same in every try, so a receiver can tell a repeated delivery from a new message. */
  id: string
  /** What happened. */
  event: NoticeEvent
  /** The highest priority of its notices. */
  priority: NoticePriority
  /** Number of notices in it. */
  count: number
  /** One line. */
  title: string
  /** The details, as lines; at most {@link LONGEST_TEXT} characters. */
  text: string
  /** When the first of its notices was made, epoch milliseconds. */
  at: number
  /** Ids of its notices. */
  notices: readonly string[]
  /** The unknown failure to label; issue trackers keep one issue per fingerprint. */
  fingerprint?: string
  /** Set if all its notices are about one provider. */
  provider?: string
  /** Set if it has one notice, about an operation. */
  operation?: string
  /** Whether somebody still has to act on it: it is neither read nor over. Default no. */
  needsAction?: boolean
  /** Set if what it says is over: when, epoch milliseconds, and what ended it. */
  resolved?: { at: number; why: string }
}

/** Longest text of a message, in characters. */
export const LONGEST_TEXT = 4_000
/** Longest title of a message, in characters. */
export const LONGEST_TITLE = 160

/** A message as JSON, for webhooks and programs. */
export function messageToJson(message: Message): Record<string, unknown> {
  const { at, resolved: _, needsAction: __, ...rest } = message
  return { ...rest, at: new Date(at).toISOString() }
}
