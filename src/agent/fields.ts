/** Reading of JSON that a program printed, which may hold anything. */
export type Fields = Readonly<Record<string, unknown>>

export function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Zero or more; undefined for anything else. */
export function amountIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The texts of a message's content: a text, or parts of which some are texts. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  return listIn(content)
    .map(part => objectIn(part))
    .filter(part => part.type === 'text')
    .map(part => textIn(part.text) ?? '')
    .join('')
}
