import { z } from 'zod'
import { inForce } from '../facilities.ts'
import { type Route, route } from '../route.ts'

const alive = route({
  method: 'get',
  path: '/healthz',
  id: 'isAlive',
  summary: 'Whether the process is alive; needs no token',
  demand: 'open',
  answers: { 200: { description: 'Alive', schema: z.object({ ok: z.boolean() }) } },
  run: () => ({ json: { ok: true } }),
})

const ready = route({
  method: 'get',
  path: '/readyz',
  id: 'isReady',
  summary: 'Whether the daemon runs operations: the config is in force and the ledger answers',
  demand: 'look',
  answers: {
    200: { description: 'Ready', schema: z.object({ ready: z.boolean(), last_event: z.number() }) },
  },
  async run(_call, facilities) {
    inForce(facilities)
    return { json: { ready: true, last_event: await facilities.ledger.lastEvent() } }
  },
})

/** Liveness and readiness. */
export const healthRoutes: readonly Route[] = [alive, ready]
