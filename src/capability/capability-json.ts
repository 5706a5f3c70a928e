import { z } from 'zod'
import type { Capability } from './capability.ts'
import { providersOf } from './providers.ts'

/** A capability in JSON: what it does, what it takes, and whether it may run twice. */
export function capabilityToJson(
  capability: Capability,
  pools: ReadonlyMap<string, readonly string[]>,
): Record<string, unknown> {
  const { name, description, kind, retry, priority, secrets, maxRetries } = capability
  return {
    name,
    kind,
    ...(description === undefined ? {} : { description }),
    retry,
    priority,
    ...(maxRetries === undefined ? {} : { max_retries: maxRetries }),
    providers: providersOf(capability, pools),
    secret_params: secrets,
    params_schema: schemaOf(capability.params),
  }
}

/** Omits what only code can express about parameters. */
function schemaOf(params: z.ZodType): unknown {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })
    return schema
  } catch {
    // A schema of another version of zod.
    return {}
  }
}
