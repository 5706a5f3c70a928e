import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './writing.ts'

/** Whether a notice needs action, or only informs. */
export const DISPOSITIONS = ['actionable', 'information'] as const
/** Whether a notice needs action, or only informs. */
export type Disposition = (typeof DISPOSITIONS)[number]

/** How important a notice is, least first. */
export const NOTICE_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
/** How important a notice is. */
export type NoticePriority = (typeof NOTICE_PRIORITIES)[number]

/** Something to tell a session or a person. */
export interface NewNotice {
  /** Identifies the notice: adding the same key again has no effect. */
  key: string
  /** The event it reports; absent if there is none. */
  event?: number
  /** What happened, as a name. */
  type: string
  priority: NoticePriority
  disposition: Disposition
  /** The session it is for. Default none: it is for people. */
  session?: string
  /** The folder the session worked in; its inbox takes over when the session is gone. */
  workspace?: string
  /** The operation it is about. */
  operation?: string
  /** The provider it is about. */
  provider?: string
  /** The unknown it is about. */
  fingerprint?: string
  /** Why it happened, as a name: notices with the same type and cause are told together. Default: it stands alone. */
  cause?: string
  /** One line, redacted. */
  title: string
  /** The full text, redacted. */
  body: string
  /** The beginning of a result; cut after {@link LONGEST_PREVIEW} characters. */
  preview?: string
  /** When it expires, epoch milliseconds. */
  expiresAt: number
  /** When it was read, epoch milliseconds; set it on a notice that need not be read. Default unread. */
  readAt?: number
}

/** A stored notice for a session or a person. */
export interface Notice extends NewNotice {
  /** `notice_` and a number. */
  id: string
  /** When it was created, epoch milliseconds. */
  createdAt: number
  /** Who read it: a session or a person. */
  readBy?: string
  /** When it last kept a session from ending, epoch milliseconds; it may still be unread. */
  shownAt?: number
  /** Until when it is out of sight, epoch milliseconds; then it is told again. */
  snoozedUntil?: number
  /** When its cause was gone, epoch milliseconds. It then needs no action, and is kept as history. */
  resolvedAt?: number
  /** What removed its cause, for people. */
  resolution?: string
}

/** Which open notices an event resolves: those of any of these types that are about this. */
export type ResolvedBy = { types: readonly string[] } & (
  | { operation: string }
  | { provider: string }
  | { fingerprint: string }
  | { cause: string }
  /** Its cause is this or a part of it: `a:b` is a part of `a`. */
  | { causeWithin: string }
)

/** What adding a notice does while one of its type and cause is open: leaves that as it is, or gives it the new words. */
export type WhileOpen = 'keep' | 'update'

/** How long a resolved notice is kept at most, in milliseconds: 1 day. */
export const HISTORY_LIFETIME_MS = 86_400_000

/** Maximum number of characters of a preview. */
export const LONGEST_PREVIEW = 500

/** Selects notices. All conditions must match; a list matches any of its items. */
export interface NoticeFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** For this session. */
  session?: string
  /** For sessions that worked in this folder. */
  workspace?: string
  /** Only notices that are neither read, resolved nor snoozed, or only the others. Default both. */
  unread?: boolean
  /** Only open and unread notices whose snooze is over and was not ended yet. Default all. */
  snoozeOver?: true
  /** Only open notices, whose cause is still there, or only resolved ones. Default both. */
  open?: boolean
  disposition?: Disposition
  priority?: NoticePriority | readonly NoticePriority[]
  type?: string | readonly string[]
  /** About this operation. */
  operation?: string
  /** About this provider. */
  provider?: string
  /** About this unknown. */
  fingerprint?: string
  /** With this cause. */
  cause?: string
  /** Whether to include expired notices. Default false. */
  expired?: boolean
}

/** Writes about notices, as part of a transaction. */
export interface NoticeWrites {
  /**
   * Stores a notice, or finds the existing one with the same key.
   * @param whileOpen finds the open one with the same type and cause, too. Default: only the key counts.
   */
  addNotice(notice: NewNotice, whileOpen?: WhileOpen): MaybePromise<{ id: string; created: boolean }>
  /**
   * Marks open notices as resolved, and messages about them as outdated. A resolved notice that only informs expires
   * {@link HISTORY_LIFETIME_MS} later. Returns how many were open.
   */
  resolveNotices(which: ResolvedBy, resolution: string): MaybePromise<number>
  /** Marks notices as read. Returns how many were unread. */
  readNotices(ids: readonly string[], by: string): MaybePromise<number>
  /** Marks at most `most` of a group of {@link NoticeReads.noticesToActOn} as read, given one of them. Returns how many. */
  readNoticesLike(id: string, by: string, most: number): MaybePromise<number>
  /** Puts unread notices that need action out of sight until a time, which may be past: then none is. Returns how many changed. */
  snoozeNotices(ids: readonly string[], until: number): MaybePromise<number>
  /** Like {@link snoozeNotices} for at most `most` of a group of {@link NoticeReads.noticesToActOn}, given one of them. */
  snoozeNoticesLike(id: string, until: number, most: number): MaybePromise<number>
  /** Ends the snooze of a notice. False if another process did, or it was snoozed again. */
  endSnooze(id: string, until: number): MaybePromise<boolean>
  /** Records that notices kept a session from ending. Returns how many had not done so before. */
  showNotices(ids: readonly string[]): MaybePromise<number>
}

/** Unread notices that need action, of one type and cause. */
export interface NoticeGroup {
  type: string
  /** Their cause; absent for notices that stand alone, which are grouped by their title. */
  cause?: string
  /** How many there are. */
  count: number
  /** The newest of them. */
  newest: Notice
}

/** What waits for a person. */
export interface NoticeGroups {
  /** How many notices there are, also of types that are left out. */
  total: number
  /** How many groups there are of the other types. */
  groups: number
  /** The largest of these first, at most {@link MOST_NOTICE_GROUPS}. */
  largest: readonly NoticeGroup[]
}

/** Most groups of notices that are read at once. */
export const MOST_NOTICE_GROUPS = 50

/** Reads of notices. */
export interface NoticeReads {
  /**
   * Unread notices that need action, by type and cause.
   *
   * @param without types that are not grouped. Default none
   */
  noticesToActOn(without?: readonly string[]): Promise<NoticeGroups>
  /** When the next snooze is over, epoch milliseconds; undefined if none is set. */
  nextSnoozeEnd(): Promise<number | undefined>
  /** Notices, newest first, one page at a time. */
  notices(filter?: NoticeFilter, page?: PageRequest): Promise<Page<Notice>>
}
