import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fieldsOfParams, fieldsOfSchema, paramsOf } from './schema-form.ts'

const schemaOf = (params: z.ZodType) => z.toJSONSchema(params, { io: 'input' })

describe('a form made of a schema', () => {
  it('has a field of the right type for each parameter', () => {
    const schema = schemaOf(
      z.object({
        to: z.string().describe('Whom to write to.'),
        copies: z.int().default(1),
        weight: z.number().optional(),
        urgent: z.boolean(),
        how: z.enum(['mail', 'fax']),
        level: z.union([z.literal(1), z.literal(2)]).optional(),
        tags: z.array(z.string()).optional(),
      }),
    )
    expect(fieldsOfSchema(schema)?.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['to', 'text', true],
      ['copies', 'integer', false],
      ['weight', 'number', false],
      ['urgent', 'boolean', true],
      ['how', 'choice', true],
      ['level', 'choice', false],
      ['tags', 'json', false],
    ])
    expect(fieldsOfSchema(schema)?.[0]?.description).toBe('Whom to write to.')
    expect(fieldsOfSchema(schema)?.[1]?.byDefault).toBe(1)
  })

  it('cannot be made if the schema names no parameters', () => {
    expect(fieldsOfSchema({})).toBeUndefined()
    expect(fieldsOfSchema(schemaOf(z.record(z.string(), z.number())))).toBeUndefined()
  })

  it('keeps each value as it was typed, by its type', () => {
    const fields = fieldsOfParams({
      text: { type: 'string', required: true },
      n: { type: 'integer', required: true },
      yes: { type: 'boolean', required: true },
      any: { type: 'json', required: true },
    })
    fc.assert(
      fc.property(
        fc.string().filter(text => text.trim() !== ''),
        fc.integer(),
        fc.boolean(),
        fc.jsonValue(),
        (text, n, yes, any) => {
          const typed = { text, n: String(n), yes: String(yes), any: JSON.stringify(any) }
          const params = JSON.parse(JSON.stringify({ text, n, yes, any }))
          expect(paramsOf(fields, typed)).toEqual({ params, problems: {} })
        },
      ),
    )
  })

  it('takes a choice as the value that it stands for, and names what is missing or no JSON', () => {
    const fields = fieldsOfSchema(
      schemaOf(
        z.object({ level: z.union([z.literal(1), z.literal(2)]), n: z.number(), list: z.array(z.int()) }),
      ),
    )
    expect(paramsOf(fields ?? [], { level: '1', list: '[1' })).toEqual({
      params: { level: 2 },
      problems: { n: 'is missing', list: expect.stringMatching(/^is not JSON: /) },
    })
  })
})
