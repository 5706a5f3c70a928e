import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './ledger.ts'

/** Whether something has to be done about a notice, or it is good to know. */
export const DISPOSITIONS = ['actionable', 'information'] as const
/** Whether something has to be done about a notice, or it is good to know. */
export type Disposition = (typeof DISPOSITIONS)[number]

/** How much a notice matters, the least first. */
export const NOTICE_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
/** How much a notice matters. */
export type NoticePriority = (typeof NOTICE_PRIORITIES)[number]

/** Something that a session or a person is to hear. */
export interface NewNotice {
  /** What it is known by: the same key is the same notice, however often it is added. */
  key: string
  /** The event that it tells of; none where no event is the reason. */
  event?: number
  /** What happened, by name. */
  type: string
  priority: NoticePriority
  disposition: Disposition
  /** The session that it is for. Default none: it is for people. */
  session?: string
  /** The folder that the session worked in; its inbox takes over when the session is gone. */
  workspace?: string
  /** The operation that it is about. */
  operation?: string
  /** The provider that it is about. */
  provider?: string
  /** The unknown that it is about. */
  fingerprint?: string
  /** One line, redacted. */
  title: string
  /** All there is to say, redacted. */
  body: string
  /** The beginning of a result; at most {@link LONGEST_PREVIEW} characters, the rest is cut. */
  preview?: string
  /** When it is forgotten, epoch milliseconds. */
  expiresAt: number
  /** When it was read, epoch milliseconds: given for one that nobody has to read. Default unread. */
  readAt?: number
}

/** Something that a session or a person is to hear, or has heard. */
export interface Notice extends NewNotice {
  /** `notice_` and a number. */
  id: string
  /** When it was made, epoch milliseconds. */
  createdAt: number
  /** Who read it: a session, a person. */
  readBy?: string
  /** When a session was last held back for it, epoch milliseconds; it may still be unread. */
  shownAt?: number
}

/** Characters of a preview that are kept. */
export const LONGEST_PREVIEW = 500

/** Which notices. All conditions have to hold; lists mean any of them. */
export interface NoticeFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** For this session. */
  session?: string
  /** For sessions that worked in this folder. */
  workspace?: string
  /** Only unread ones, or only those that were read. Default both. */
  unread?: boolean
  disposition?: Disposition
  priority?: NoticePriority | readonly NoticePriority[]
  type?: string | readonly string[]
  /** About this operation. */
  operation?: string
  /** About this provider. */
  provider?: string
  /** About this unknown. */
  fingerprint?: string
  /** Whether those whose time is over are given too. Default false. */
  expired?: boolean
}

/** Writes about notices, as part of a transaction. */
export interface NoticeWrites {
  /** Keeps a notice, or finds the one that its key stands for. */
  addNotice(notice: NewNotice): MaybePromise<{ id: string; created: boolean }>
  /** Somebody has read them. Gives how many were unread. */
  readNotices(ids: readonly string[], by: string): MaybePromise<number>
  /** A session was held back for them. Gives how many never were before. */
  showNotices(ids: readonly string[]): MaybePromise<number>
}

/** Reads of notices. */
export interface NoticeReads {
  /** Notices, newest first, a page at a time. */
  notices(filter?: NoticeFilter, page?: PageRequest): Promise<Page<Notice>>
}
