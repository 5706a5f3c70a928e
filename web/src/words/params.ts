/** Most characters of parameters shown on one line. */
const MOST = 160

/** Parameters on one line, for a list: `branch: main · depth: thorough`. Empty if there are none. */
export function paramsInWords(params: unknown): string {
  if (typeof params !== 'object' || params === null) return params === undefined ? '' : String(params)
  const words = Object.entries(params)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')
    .replace(/\s+/g, ' ')
  return words.length > MOST ? `${words.slice(0, MOST)}…` : words
}

/** The changed parameters. Throws if the text is not a JSON object, or leaves a parameter out. */
export function changesOf(before: Record<string, unknown>, text: string): Record<string, unknown> {
  let after: unknown
  try {
    after = JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`)
  }
  if (typeof after !== 'object' || after === null || Array.isArray(after))
    throw new Error('Parameters are a JSON object: { "name": value }')
  const missing = Object.keys(before).find(name => !Object.hasOwn(after, name))
  if (missing !== undefined) throw new Error(`${missing} is missing; a parameter can be changed, not removed`)
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}

/** Parses JSON; returns any other text unchanged. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
