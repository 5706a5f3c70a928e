/** One field of a form. */
export interface FormField {
  name: string
  type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  isRequired: boolean
  /** The values of a choice. */
  choices: readonly unknown[]
  description?: string
  /** What counts if it is left empty. */
  byDefault?: unknown
}

type Schema = Readonly<Record<string, unknown>>

/** The fields of parameters with a JSON schema; undefined if the schema does not name them. */
export function fieldsOfSchema(schema: Schema): FormField[] | undefined {
  if (schema.type !== 'object' || !isObject(schema.properties)) return undefined
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, of]) =>
    fieldOf(name, isObject(of) ? of : {}, required.includes(name)),
  )
}

/** The fields of a workflow's declared parameters. */
export function fieldsOfParams(
  params: Readonly<Record<string, { type: string; required: boolean }>>,
): FormField[] {
  return Object.entries(params).map(([name, { type, required }]) => fieldOf(name, { type }, required))
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FormField {
  const choices = choicesOf(schema)
  return {
    name,
    type: choices.length > 0 ? 'choice' : typeOf(schema.type),
    // With a default, it may be left empty.
    isRequired: isRequired && schema.default === undefined,
    choices,
    ...(typeof schema.description === 'string' ? { description: schema.description } : {}),
    ...(schema.default === undefined ? {} : { byDefault: schema.default }),
  }
}

function choicesOf({ enum: listed, anyOf }: Schema): unknown[] {
  if (Array.isArray(listed)) return listed
  const isChoice = Array.isArray(anyOf) && anyOf.every(each => isObject(each) && 'const' in each)
  return isChoice ? anyOf.map(each => (each as Schema).const) : []
}

function typeOf(type: unknown): FormField['type'] {
  if (type === 'string') return 'text'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json'
}

/** What was typed, as parameters, and what is wrong with it, by name. Empty fields are left out. */
export function paramsOf(
  fields: readonly FormField[],
  typed: Readonly<Record<string, string>>,
): { params: Record<string, unknown>; problems: Record<string, string> } {
  const params: [string, unknown][] = []
  const problems: [string, string][] = []
  for (const { name, type, isRequired, choices } of fields) {
    const text = typed[name] ?? ''
    if (text.trim() === '') {
      if (isRequired) problems.push([name, 'is missing'])
    } else if (type === 'text') params.push([name, text])
    else if (type === 'choice') params.push([name, choices[Number(text)]])
    else
      try {
        params.push([name, JSON.parse(text)])
      } catch (error) {
        problems.push([name, type === 'json' ? `is not JSON: ${(error as Error).message}` : 'is no number'])
      }
  }
  return { params: Object.fromEntries(params), problems: Object.fromEntries(problems) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
