import { present } from '../../failure/present.ts'
import { redact } from '../../failure/redact.ts'

/** What the event of a start says about the work, besides its name. */
export interface StartFacts {
  /** Names of its parameters. Their values may be secret. */
  params: readonly string[]
  /** `meta` of its parameters, redacted: what the submitter wants to see again in events. Absent if it has none. */
  meta?: Readonly<Record<string, unknown>>
}

const MOST_META = 8_192

export function startFacts(params: unknown): StartFacts {
  const fields = isObject(params) ? params : {}
  const meta = isObject(fields.meta) ? shown(fields.meta) : undefined
  return { params: Object.keys(fields), ...present({ meta }) }
}

/** Without secrets; undefined if it is too long for an event, or cannot be written. */
function shown(meta: object): Record<string, unknown> | undefined {
  try {
    const json = JSON.stringify(meta)
    return json.length > MOST_META ? undefined : JSON.parse(redact(json))
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
