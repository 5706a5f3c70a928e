import { z } from 'zod'
import { DELIVERY_STATES } from '../ledger/delivery.ts'
import { DISPOSITIONS, NOTICE_PRIORITIES } from '../ledger/notice.ts'
import { moment } from '../shape/value.ts'

/** A notice. */
export const notice = z.object({
  id: z.string(),
  priority: z.enum(NOTICE_PRIORITIES),
  disposition: z.enum(DISPOSITIONS),
  session: z.string().exactOptional(),
  workspace: z.string().exactOptional(),
  operation: z.string().exactOptional(),
  provider: z.string().exactOptional(),
  fingerprint: z.string().exactOptional(),
  cause: z
    .string()
    .exactOptional()
    .describe('Why it happened; notices with the same event and cause are told together.'),
  title: z.string(),
  body: z.string(),
  preview: z.string().exactOptional().describe('The start of a result.'),
  resolution: z.string().exactOptional().describe('What removed its cause.'),
  event: z.string().describe('What happened.'),
  created_at: moment,
  expires_at: moment,
  read_at: moment.exactOptional(),
  read_by: z.string().exactOptional(),
  shown_at: moment.exactOptional(),
  snoozed_until: moment.exactOptional().describe('Out of sight until then.'),
  resolved_at: moment.exactOptional().describe('When its cause was gone: it needs no action any more.'),
  ledger_event: z.number().exactOptional().describe('Number of the event that caused it.'),
})

/** A delivery of a notice to a surface. */
export const delivery = z.object({
  id: z.string(),
  notice: z.string(),
  surface: z.string(),
  operation: z.string().exactOptional().describe('The operation that delivers it.'),
  state: z.enum(DELIVERY_STATES),
  reference: z
    .string()
    .exactOptional()
    .describe('Where it arrived: the address of an issue or the number of a message.'),
  reason: z.string().exactOptional().describe('Why it was given up.'),
  created_at: moment,
  settled_at: moment.exactOptional(),
})

/** A notice with its deliveries. */
export const noticeWithDeliveries = notice.extend({ deliveries: z.array(delivery) })
