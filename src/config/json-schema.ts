import { z } from 'zod'
import { fileSchema } from './schema/config.ts'

/** The JSON Schema of mulligan.toml, for editors; draft 7, which all of them understand. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(fileSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // A bound that only states the number range is noise.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { $schema, title: 'mulligan.toml', description: 'Config of Mulligan.', ...schema }
}
