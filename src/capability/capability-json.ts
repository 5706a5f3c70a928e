import { z } from 'zod'
import { jsonWriter } from '../shape/json-writer.ts'
import type { Capability } from './capability.ts'
import { capabilityShape } from './capability-shape.ts'
import { providersOf } from './providers.ts'

const write = jsonWriter(capabilityShape)

/** A capability in JSON: what it does, what it takes, and whether it may run twice. */
export function capabilityToJson(capability: Capability, pools: ReadonlyMap<string, readonly string[]>) {
  return write({
    ...capability,
    providers: providersOf(capability, pools),
    secretParams: capability.secrets,
    paramsSchema: schemaOf(capability.params),
  })
}

/** Omits what only code can express about parameters. */
function schemaOf(params: z.ZodType): Record<string, unknown> {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })
    return schema
  } catch {
    // A schema of another version of zod.
    return {}
  }
}
