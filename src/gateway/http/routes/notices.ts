import { z } from 'zod'
import { isCallFailed } from '../../../call/call-failed.ts'
import { SURFACE_KINDS } from '../../../config/schema/surface.ts'
import { present } from '../../../failure/present.ts'
import { DELIVERY_STATES } from '../../../ledger/delivery.ts'
import { knownSurface } from '../../../notice/known-surface.ts'
import { deliveryToJson, noticeWithDeliveriesToJson, testToJson } from '../../../notice/notice-json.ts'
import { delivery, noticeWithDeliveries } from '../../../notice/notice-shape.ts'
import { noticesWithDeliveries } from '../../../notice/notice-with-deliveries.ts'
import { sendTest } from '../../../notice/send-test.ts'
import { surfaceHostOf } from '../../../notice/surface-host.ts'
import { inForce } from '../facilities.ts'
import { noticeFilterShape, pageShape } from '../notice-schemas.ts'
import { type Route, route } from '../route.ts'
import { name } from '../value-schemas.ts'

const next = z.string().optional().describe('Cursor of the next page; missing on the last one.')

const list = route({
  method: 'get',
  path: '/v1/notices',
  id: 'listNotices',
  summary: 'Notices with their deliveries, newest first',
  demand: 'look',
  query: z.strictObject({ ...noticeFilterShape, ...pageShape }),
  answers: {
    200: {
      description: 'A page',
      schema: z.object({ notices: z.array(noticeWithDeliveries), next }),
    },
  },
  async run({ query: { limit = 50, cursor, event, expired = true, ...same } }, { ledger }) {
    const wanted = present({ ...same, type: event, expired })
    const page = { limit, ...present({ cursor }) }
    const { items, next: more } = await noticesWithDeliveries(ledger, wanted, page)
    return {
      json: { notices: items.map(noticeWithDeliveriesToJson), ...present({ next: more }) },
    }
  },
})

const deliveries = route({
  method: 'get',
  path: '/v1/deliveries',
  id: 'listDeliveries',
  summary: 'Deliveries of notices to surfaces, newest first',
  demand: 'look',
  query: z.strictObject({
    surface: name.optional().describe('To this surface.'),
    state: z.enum(DELIVERY_STATES).optional(),
    notice: z.string().min(1).max(100).optional().describe('Of this notice.'),
    fingerprint: z.string().min(1).max(100).optional().describe('Of notices about this unknown.'),
    ...pageShape,
  }),
  answers: {
    200: { description: 'A page', schema: z.object({ deliveries: z.array(delivery), next }) },
  },
  async run({ query: { limit = 50, cursor, ...filter } }, { ledger }) {
    const page = { limit, ...present({ cursor }) }
    const { items, next: more } = await ledger.deliveries(present(filter), page)
    return { json: { deliveries: items.map(deliveryToJson), ...present({ next: more }) } }
  },
})

const surfaces = route({
  method: 'get',
  path: '/v1/surfaces',
  id: 'listSurfaces',
  summary: 'The configured surfaces',
  demand: 'look',
  answers: {
    200: {
      description: 'All surfaces',
      schema: z.object({
        surfaces: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(SURFACE_KINDS),
            enabled: z.boolean(),
            events: z.array(z.string()).nullable().describe('Null: the default of its kind.'),
            min_priority: z.string(),
            quiet: z.string().optional().describe('Its quiet hours, such as `22:00-07:00`. Absent without.'),
            time_zone: z.string().optional().describe('Time zone of the quiet hours. Absent without.'),
            buttons: z.boolean().describe('Whether its messages have buttons.'),
          }),
        ),
      }),
    },
  },
  run(_call, facilities) {
    const found = inForce(facilities).loaded.config.surfaces.map(surface => ({
      name: surface.name,
      kind: surface.kind,
      enabled: surface.enabled,
      events: surface.events ?? null,
      min_priority: surface.minPriority,
      ...(surface.quiet === undefined ? {} : { quiet: surface.quiet, time_zone: surface.timeZone }),
      buttons: surface.buttons,
    }))
    return { json: { surfaces: found } }
  },
})

const test = route({
  method: 'post',
  path: '/v1/surfaces/{name}/test',
  id: 'testSurface',
  summary: 'Send a test message to a surface now, with a few retries',
  demand: 'change',
  params: z.strictObject({ name }),
  answers: {
    200: {
      description: 'Whether it arrived',
      schema: z.object({
        surface: z.string(),
        sent: z.boolean(),
        reference: z.string().optional().describe('Where the message arrived.'),
        class: z.string().optional().describe('Class of the failure.'),
        kind: z.string().optional(),
        message: z.string().optional(),
      }),
    },
  },
  async run({ params: { name: wanted }, signal }, facilities) {
    const { loaded } = inForce(facilities)
    const { env, folder: cwd, time } = facilities
    try {
      const config = knownSurface(loaded.config, wanted)
      // A config with surfaces is always a file, so relative paths start from its folder and not from cwd.
      const host = surfaceHostOf(loaded, { env, cwd }, time)
      return { json: testToJson(wanted, await sendTest(config, host, { signal })) }
    } catch (error) {
      if (isCallFailed(error)) return { json: testToJson(wanted, error) }
      throw error
    }
  },
})

/** Notices, deliveries and surfaces. */
export const noticeRoutes: readonly Route[] = [list, deliveries, surfaces, test]
