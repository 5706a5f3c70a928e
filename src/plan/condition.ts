import { readSource, SOURCE, type Source, type Values, valueAt } from './placeholder.ts'

const OPERATORS = ['==', '!=', '>=', '<=', '>', '<'] as const
/** How two values are compared. */
export type Operator = (typeof OPERATORS)[number]

/** When a step runs: if a value is truthy and not an empty list, or if a comparison with a constant holds. */
export interface Condition {
  source: Source
  /** Whether the condition is negated. */
  isNot: boolean
  operator?: Operator
  constant?: string | number | boolean | null
}

const FORM = new RegExp(`^\\s*(not\\s+|!\\s*)?(${SOURCE})\\s*(?:(${OPERATORS.join('|')})\\s*(.+?)\\s*)?$`)

/** What a condition looks like, for messages. */
export const CONDITION_FORM =
  '"results.STEP.name", "not params.name", or a comparison such as "results.STEP.count > 0" or "params.env == \'live\'"'

/** Parses a condition; undefined if the text is not one. */
export function readCondition(text: string): Condition | undefined {
  const [, not, path, operator, written] = FORM.exec(text) ?? []
  const source = path === undefined ? undefined : readSource(path)
  if (!source) return undefined
  const isNot = not !== undefined
  if (operator === undefined) return { source, isNot }
  if (isNot) return undefined
  const constant = constantOf(written as string)
  return constant === undefined ? undefined : { source, isNot, operator: operator as Operator, constant }
}

function constantOf(text: string): string | number | boolean | null | undefined {
  const quoted = /^'([^']*)'$/.exec(text)
  if (quoted) return quoted[1] as string
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null
      ? undefined
      : (value as string | number | boolean | null)
  } catch {
    return undefined
  }
}

/** Whether a condition holds. */
export function holds({ source, isNot, operator, constant }: Condition, values: Values): boolean {
  const value = valueAt(source, values)
  if (operator === undefined) return isThere(value) !== isNot
  if (operator === '==') return value === constant
  if (operator === '!=') return value !== constant
  // Values that cannot be ordered are neither greater nor less.
  const isOrdered =
    (typeof value === 'number' && typeof constant === 'number') ||
    (typeof value === 'string' && typeof constant === 'string')
  if (!isOrdered) return false
  const [left, right] = [value as number, constant as number]
  if (operator === '>') return left > right
  if (operator === '<') return left < right
  return operator === '>=' ? left >= right : left <= right
}

/** False for null, false, 0, an empty text and an empty list. */
function isThere(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}
