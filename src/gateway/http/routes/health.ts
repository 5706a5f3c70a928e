import { z } from 'zod'
import { inForce } from '../facilities.ts'
import { type Route, route } from '../route.ts'

const alive = route({
  method: 'get',
  path: '/healthz',
  id: 'isAlive',
  summary: 'Whether the process answers; needs no token',
  demand: 'open',
  answers: { 200: { description: 'It does', schema: z.object({ ok: z.boolean() }) } },
  run: () => ({ json: { ok: true } }),
})

const ready = route({
  method: 'get',
  path: '/readyz',
  id: 'isReady',
  summary: 'Whether operations run: the config is in force, and the ledger answers',
  demand: 'look',
  answers: {
    200: { description: 'They do', schema: z.object({ ready: z.boolean(), last_event: z.number() }) },
  },
  async run(_call, facilities) {
    inForce(facilities)
    return { json: { ready: true, last_event: await facilities.ledger.lastEvent() } }
  },
})

/** For those who watch over the daemon. */
export const healthRoutes: readonly Route[] = [alive, ready]
