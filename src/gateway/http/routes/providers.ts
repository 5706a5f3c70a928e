import { z } from 'zod'
import { statusOfKnown } from '../../../agent/known-provider.ts'
import type { ProviderStatus } from '../../../provider/provider-status.ts'
import { probe, provider } from '../../../shape/provider.ts'
import { probeToJson, providerToJson } from '../../../shape/provider-json.ts'
import { type InForce, inForce } from '../facilities.ts'
import { type Route, route } from '../route.ts'
import { instant, name } from '../value-schemas.ts'

const path = z.strictObject({ id: name })

const list = route({
  method: 'get',
  path: '/v1/providers',
  id: 'listProviders',
  summary: 'All providers: whether each takes calls and, if not, why',
  demand: 'look',
  answers: { 200: { description: 'All providers', schema: z.object({ providers: z.array(provider) }) } },
  async run(_call, facilities) {
    const statuses = await inForce(facilities).health.status()
    return { json: { providers: statuses.map(providerToJson) } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/providers/{id}',
  id: 'getProvider',
  summary: 'Everything about one provider, including the failure that blocked it',
  demand: 'look',
  params: path,
  answers: { 200: { description: 'The provider', schema: provider } },
  async run({ params: { id } }, facilities) {
    return { json: providerToJson(await knownProvider(inForce(facilities), id)) }
  },
})

/** Reason and end of a pause. */
interface Pausing {
  reason?: string | undefined
  /** Epoch milliseconds. */
  until?: number | undefined
}

const CHANGES = {
  reset: {
    summary: 'Clear its blocks and close its breaker',
    make: ({ health }: InForce, id: string) => health.reset(id),
  },
  pause: {
    summary: 'Send it no calls until it is resumed or a time is reached',
    make: ({ queue }: InForce, id: string, pausing: Pausing) => queue.pause({ provider: id }, pausing),
  },
  resume: {
    summary: 'Send it calls again',
    make: ({ queue }: InForce, id: string) => queue.resume({ provider: id }),
  },
} as const

const changing = (action: keyof typeof CHANGES) =>
  route({
    method: 'post',
    path: `/v1/providers/{id}/${action}`,
    id: `${action}Provider`,
    summary: CHANGES[action].summary,
    demand: 'change',
    params: path,
    body: z.strictObject(
      action === 'pause'
        ? {
            reason: z.string().min(1).max(500).optional().describe('Why.'),
            until: instant.optional().describe('When it ends by itself. Default never.'),
          }
        : {},
    ),
    bodyOptional: true,
    answers: { 200: { description: 'The changed provider', schema: provider } },
    async run({ params: { id }, body }, facilities) {
      const now = inForce(facilities)
      await knownProvider(now, id)
      await CHANGES[action].make(now, id, body as Pausing)
      return { json: providerToJson(await knownProvider(now, id)) }
    },
  })

const probeOne = route({
  method: 'post',
  path: '/v1/providers/{id}/probe',
  id: 'probeProvider',
  summary: 'Run its probe now',
  demand: 'change',
  params: path,
  answers: { 200: { description: 'The result of the probe', schema: probe } },
  async run({ params: { id }, signal }, facilities) {
    const now = inForce(facilities)
    await knownProvider(now, id)
    return { json: probeToJson(await now.health.probe(id, signal)) }
  },
})

const probeAll = route({
  method: 'post',
  path: '/v1/providers/probe',
  id: 'probeProviders',
  summary: 'Run every configured probe now',
  demand: 'change',
  answers: {
    200: { description: 'The results of the probes', schema: z.object({ probes: z.array(probe) }) },
  },
  async run({ signal }, facilities) {
    const results = await inForce(facilities).health.probeAll(signal)
    return { json: { probes: results.map(probeToJson) } }
  },
})

/** The state of a provider. */
export function knownProvider({ health, loaded }: InForce, id: string): Promise<ProviderStatus> {
  return statusOfKnown(health, loaded.config, id)
}

/** Reading providers, and changing them by hand. */
export const providerRoutes: readonly Route[] = [
  list,
  probeAll,
  get,
  changing('reset'),
  changing('pause'),
  changing('resume'),
  probeOne,
]
