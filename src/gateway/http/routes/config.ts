import { z } from 'zod'
import { poolsOf } from '../../../agent/from-config.ts'
import { capabilityToJson } from '../../../capability/capability-json.ts'
import { capabilityShape } from '../../../capability/capability-shape.ts'
import { configToJson } from '../../../config/values-json.ts'
import { object } from '../../../shape/value.ts'
import { inForce } from '../facilities.ts'
import { type Route, route } from '../route.ts'

const config = route({
  method: 'get',
  path: '/v1/config',
  id: 'getConfig',
  summary: 'The values in force and the origin of each; secrets are hidden',
  demand: 'look',
  answers: {
    200: {
      description: 'The config',
      schema: z.object({ file: z.string().nullable(), values: z.array(object) }),
    },
  },
  run: (_call, facilities) => ({ json: configToJson(inForce(facilities).loaded, facilities) }),
})

const capabilities = route({
  method: 'get',
  path: '/v1/capabilities',
  id: 'listCapabilities',
  summary: "This daemon's capabilities, each with a JSON Schema of its parameters",
  demand: 'look',
  answers: {
    200: {
      description: 'All capabilities',
      schema: z.object({ capabilities: z.array(capabilityShape) }),
    },
  },
  run(_call, facilities) {
    const { queue, loaded } = inForce(facilities)
    const pools = poolsOf(loaded.config)
    const found = queue.registry.names.flatMap(name => queue.registry.get(name) ?? [])
    return { json: { capabilities: found.map(capability => capabilityToJson(capability, pools)) } }
  },
})

/** The config and the capabilities. */
export const configRoutes: readonly Route[] = [config, capabilities]
