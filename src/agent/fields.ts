/** Reads JSON that a program printed, which may contain anything. */
export type Fields = Readonly<Record<string, unknown>>

export function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A number of at least 0; undefined for anything else. */
export function amountIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
