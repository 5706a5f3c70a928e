import { z } from 'zod'
import { NOTICE_EVENTS } from '../../config/schema/surface.ts'
import { DELIVERY_STATES } from '../../ledger/delivery.ts'
import { DISPOSITIONS, NOTICE_PRIORITIES } from '../../ledger/notice.ts'
import { moment, name } from './value-schemas.ts'

/** A notice, as the command prints it with `--json`. */
export const notice = z.object({
  id: z.string(),
  event: z.string().describe('What happened.'),
  priority: z.enum(NOTICE_PRIORITIES),
  disposition: z.enum(DISPOSITIONS),
  title: z.string(),
  body: z.string(),
  preview: z.string().optional().describe('The start of a result.'),
  session: z.string().optional(),
  workspace: z.string().optional(),
  operation: z.string().optional(),
  provider: z.string().optional(),
  fingerprint: z.string().optional(),
  cause: z
    .string()
    .optional()
    .describe('Why it happened; notices with the same event and cause are told together.'),
  created_at: moment,
  expires_at: moment,
  read_at: moment.optional(),
  read_by: z.string().optional(),
  shown_at: moment.optional(),
  resolved_at: moment.optional().describe('When its cause was gone: it needs no action any more.'),
  resolution: z.string().optional().describe('What removed its cause.'),
  ledger_event: z.number().optional().describe('Number of the event that caused it.'),
})

/** A delivery of a notice to a surface. */
export const delivery = z.object({
  id: z.string(),
  notice: z.string(),
  surface: z.string(),
  operation: z.string().optional().describe('The operation that delivers it.'),
  state: z.enum(DELIVERY_STATES),
  created_at: moment,
  settled_at: moment.optional(),
  reference: z
    .string()
    .optional()
    .describe('Where it arrived: the address of an issue or the number of a message.'),
  reason: z.string().optional().describe('Why it was given up.'),
})

/** The name of a session. */
export const session = z
  .string()
  .regex(
    /^[^\s\x00-\x1f\x7f]{1,200}$/,
    'must be the name of a session without spaces, at most 200 characters',
  )

/** Page size and cursor of a list. */
export const pageShape = {
  limit: z.int().min(1).max(200).optional().describe('Page size. Default 50.'),
  cursor: z.string().max(500).optional().describe('`next` of the previous page.'),
}

/** Filters of a query for notices. */
export const noticeFilterShape = {
  unread: z
    .boolean()
    .optional()
    .describe('true: only those neither read nor resolved; false: only the others. Default both.'),
  open: z
    .boolean()
    .optional()
    .describe('true: only those whose cause is still there; false: only resolved ones. Default both.'),
  session: session.optional().describe('For this session.'),
  event: z.array(z.enum(NOTICE_EVENTS)).min(1).optional().describe('About any of these.'),
  priority: z.array(z.enum(NOTICE_PRIORITIES)).min(1).optional().describe('Of any of these priorities.'),
  disposition: z.enum(DISPOSITIONS).optional(),
  operation: z.string().min(1).max(100).optional().describe('About this operation.'),
  provider: name.optional().describe('About this provider.'),
  fingerprint: z.string().min(1).max(100).optional().describe('About this unknown.'),
  expired: z.boolean().optional().describe('Include expired ones. Default true.'),
}
