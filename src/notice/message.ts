import type { NoticeEvent } from '../config/schema/surface.ts'
import type { NoticePriority } from '../ledger/notice.ts'

/** What a surface is to show: one notice, or several of the same event. All of it is redacted data, never markup. */
export interface Message {
  /** Names this message for ever: the same for every try, so that a receiver can tell a second try from a second message. */
  id: string
  /** What happened. */
  event: NoticeEvent
  /** The highest of its notices. */
  priority: NoticePriority
  /** Notices in it. */
  count: number
  /** One line. */
  title: string
  /** More, in lines; at most {@link LONGEST_TEXT} characters. */
  text: string
  /** When the first of its notices was made, epoch milliseconds. */
  at: number
  /** Ids of its notices. */
  notices: readonly string[]
  /** The unknown failure that it asks to label; issue trackers keep one issue for each. */
  fingerprint?: string
  /** The provider that all of it is about. */
  provider?: string
  /** The operation that all of it is about. */
  operation?: string
}

/** Characters of the text of a message. */
export const LONGEST_TEXT = 4_000
/** Characters of the title of a message. */
export const LONGEST_TITLE = 160

/** A message as JSON, for webhooks and programs. */
export function messageToJson(message: Message): Record<string, unknown> {
  const { at, ...rest } = message
  return { ...rest, at: new Date(at).toISOString() }
}
