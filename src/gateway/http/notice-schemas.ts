import { z } from 'zod'
import { NOTICE_EVENTS } from '../../config/schema/surface.ts'
import { DISPOSITIONS, NOTICE_PRIORITIES } from '../../ledger/notice.ts'
import { name } from './value-schemas.ts'

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
