import { present } from '../../src/failure/present.ts'
import { FAULTS, type FaultName, faultName, LabError } from '../fault/table.ts'
import { type LabRequest, VENDORS, type Vendor } from '../request.ts'

/** One line of a script: which requests a fault strikes. */
export interface FaultStep {
  fault: FaultName
  /** How many matching requests are answered normally before it. Default 0. */
  after?: number | undefined
  /** How many requests it then strikes. Default 1. */
  times?: number | 'always' | undefined
  /** Only requests to this vendor. Default: all. */
  vendor?: Vendor | undefined
  /** Only requests for this model. Default: all. */
  model?: string | undefined
  /** Only requests whose path contains this, including model lists and token counts. Default: model calls. */
  path?: string | undefined
  /** Send a refusal as an event inside a 200 stream. Default false. */
  inStream?: boolean | undefined
  /** How long a limit asks to wait, in milliseconds. Default: the lab's. */
  waitMs?: number | undefined
}

/** Whether a step applies to a request. */
export function concerns({ vendor, model, path }: FaultStep, request: LabRequest): boolean {
  if (vendor !== undefined && vendor !== request.vendor) return false
  if (model !== undefined && model !== request.model) return false
  return path === undefined ? request.wants.what === 'answer' : request.path.includes(path)
}

const FIELDS = {
  fault: isText,
  after: isCount,
  times: (value: unknown) => value === 'always' || (isCount(value) && value !== 0),
  vendor: (value: unknown) => (VENDORS as readonly unknown[]).includes(value),
  model: isText,
  path: isText,
  in_stream: (value: unknown) => typeof value === 'boolean',
  wait_ms: isCount,
}

const WANTED: Record<keyof typeof FIELDS, string> = {
  fault: 'the name of a fault',
  after: 'a whole number, 0 or more',
  times: 'a whole number, 1 or more, or "always"',
  vendor: `one of ${VENDORS.join(', ')}`,
  model: 'the name of a model',
  path: 'part of a path, such as "/v1/messages"',
  in_stream: 'true or false',
  wait_ms: 'a whole number of milliseconds',
}

/** Parses a script from JSON: a step or a list of steps, in snake_case. Throws a LabError that names the place. */
export function readSteps(value: unknown): FaultStep[] {
  const list = Array.isArray(value) ? value : [value]
  return list.map((step, index) => readStep(step, list.length > 1 ? `step ${index + 1}: ` : ''))
}

/** Parses a script of faults from the text of a file. */
export function parseScript(text: string): FaultStep[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new LabError(`not JSON: ${(error as Error).message}`)
  }
  if (!Array.isArray(value))
    throw new LabError('a script is a list of steps: [{"after": 2, "fault": "overloaded"}]')
  return readSteps(value)
}

function readStep(value: unknown, place: string): FaultStep {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LabError(`${place}a step is an object such as {"after": 2, "fault": "overloaded"}`)
  const fields = value as Record<string, unknown>
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(FIELDS, name))
      throw new LabError(
        `${place}unknown field ${JSON.stringify(name)}; one of: ${Object.keys(FIELDS).join(', ')}`,
      )
    const known = name as keyof typeof FIELDS
    if (!FIELDS[known](field))
      throw new LabError(`${place}${name} must be ${WANTED[known]}, not ${JSON.stringify(field)}`)
  }
  if (fields.fault === undefined) throw new LabError(`${place}fault is missing`)
  try {
    return checkStep({
      fault: faultName(fields.fault as string),
      after: fields.after as number | undefined,
      times: fields.times as number | 'always' | undefined,
      vendor: fields.vendor as Vendor | undefined,
      model: fields.model as string | undefined,
      path: fields.path as string | undefined,
      inStream: fields.in_stream as boolean | undefined,
      waitMs: fields.wait_ms as number | undefined,
    })
  } catch (error) {
    throw new LabError(`${place}${(error as Error).message}`)
  }
}

/** Refuses a step that could never do what it says. */
export function checkStep(step: FaultStep): FaultStep {
  const fault = FAULTS[faultName(step.fault)]
  if (step.inStream && fault.does !== 'refuse')
    throw new LabError(
      `${step.fault} cannot come inside a stream; in_stream is for refusals such as overloaded`,
    )
  return step
}

/** A step in JSON. */
export function stepToJson({ inStream, waitMs, ...rest }: FaultStep): Record<string, unknown> {
  return {
    ...rest,
    ...present({ in_stream: inStream, wait_ms: waitMs }),
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
