/** Any value for a message: as JSON where JSON can express it, shortened. Never throws. */
export function quote(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  // JSON cannot express NaN and Infinity.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  try {
    const written = JSON.stringify(value) ?? String(value)
    return written.length > 80 ? `${written.slice(0, 79)}…` : written
  } catch {
    return `a value of type ${typeof value}`
  }
}
