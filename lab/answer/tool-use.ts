import type { LabRequest } from '../request.ts'

/** A tool that the caller offers, with its input schema. */
interface OfferedTool {
  name: string
  schema: Schema
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  minimum?: number
}

/** Read-only tools, by the names that agent CLIs give them: calling them in a loop does no harm. */
const HARMLESS = [
  /^(?:list_directory|list|ls|glob)$/i,
  /^(?:read_file|read|view)$/i,
  /^(?:update_plan|todo_?write|todoread)$/i,
  /^(?:shell|bash|exec_command|local_shell|run_shell_command)$/i,
]

/** A call of the most harmless tool that the request offers; a made-up one if it offers none. */
export function toolCallFor(request: LabRequest): { name: string; input: unknown } {
  const tools = toolsOf(request.body)
  const tool =
    HARMLESS.map(pattern => tools.find(({ name }) => pattern.test(name))).find(
      found => found !== undefined,
    ) ?? tools[0]
  if (tool === undefined) return { name: 'look_around', input: {} }
  return { name: tool.name, input: exampleOf(tool.schema) }
}

function toolsOf(body: Record<string, unknown>): OfferedTool[] {
  if (!Array.isArray(body.tools)) return []
  return body.tools.flatMap((tool: Record<string, unknown>) => {
    const declared = tool.functionDeclarations
    const all = Array.isArray(declared) ? (declared as Record<string, unknown>[]) : [tool.function ?? tool]
    return all.flatMap(each => {
      const { name, input_schema, parameters, parametersJsonSchema } = each as Record<string, unknown>
      if (typeof name !== 'string') return []
      return [{ name, schema: (input_schema ?? parameters ?? parametersJsonSchema ?? {}) as Schema }]
    })
  })
}

/** The smallest value that a schema allows. Commands get `true`, paths the folder itself. */
function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.enum && schema.enum.length > 0) return schema.enum[0]
  const type = (Array.isArray(schema.type) ? schema.type[0] : schema.type)?.toLowerCase()
  switch (type) {
    case 'string':
      return /command|cmd/.test(name) ? 'true' : /pattern/.test(name) ? '*' : '.'
    case 'number':
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'array':
      return /command|cmd/.test(name)
        ? ['true']
        : Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items ?? {}))
    default:
      return Object.fromEntries(
        (schema.required ?? []).map(key => [
          key,
          exampleOf(schema.properties?.[key] ?? { type: 'string' }, key),
        ]),
      )
  }
}
