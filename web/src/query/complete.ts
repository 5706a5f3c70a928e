import { tokensOf } from './parse.ts'
import { QUALIFIERS } from './qualifiers.ts'

/** A completion at the cursor. */
export interface Completion {
  /** The text that replaces the word at the cursor. */
  text: string
  words: string
  from: number
  to: number
}

/** Values from the daemon. */
export interface KnownValues {
  capabilities: readonly string[]
  providers: readonly string[]
}

const MOST = 12

/** Completions at the cursor of a query, most likely first. */
export function completionsOf(text: string, cursor: number, known: KnownValues): Completion[] {
  const token = tokensOf(text).find(({ from, to }) => from < cursor && cursor <= to)
  const from = token?.from ?? cursor
  const to = token?.to ?? cursor
  const typed = text.slice(from, cursor)
  const [, name, value = ''] = /^([a-z_-]+):(.*)$/.exec(typed) ?? []
  if (name === undefined) {
    if (typed.startsWith('"')) return []
    return QUALIFIERS.filter(qualifier => qualifier.name.startsWith(typed.toLowerCase())).map(qualifier => ({
      text: `${qualifier.name}:`,
      words: qualifier.words,
      from,
      to,
    }))
  }
  const qualifier = QUALIFIERS.find(each => each.name === name)
  const values = qualifier?.values ?? (qualifier?.from ? known[qualifier.from] : [])
  const part = value.toLowerCase()
  return [
    ...values.filter(each => each.toLowerCase().startsWith(part)),
    ...values.filter(each => !each.toLowerCase().startsWith(part) && each.toLowerCase().includes(part)),
  ]
    .filter(each => each !== value)
    .slice(0, MOST)
    .map(each => ({
      text: `${name}:${/\s/.test(each) ? `"${each}"` : each} `,
      words: '',
      from,
      to,
    }))
}
