import { CATALOGUE } from '../src/failure/catalogue/index.ts'

/** Every phrase of the catalogue, once. */
export const PHRASES: string[] = [
  ...new Set(
    CATALOGUE.flatMap(rule => rule.when.flatMap(when => [...(when.says ?? []), ...(when.unless ?? [])])),
  ),
]

const GAP = String.raw`(?:[\W_]+\w+){0,10}?[\W_]+`
const FAR = String.raw`(?:[\W_]+\w+){0,40}?[\W_]+`

/** The regular expression that a person would write for a phrase. */
export function regexpOf(phrase: string): string {
  let source = ''
  let joint = ''
  for (const [part] of phrase.matchAll(/\([^()]*\)|……|…|#|[^\s()…#]+/g)) {
    if (part === '…') joint = GAP
    else if (part === '……') joint = FAR
    else {
      const choices = part.startsWith('(')
        ? part
            .slice(1, -1)
            .split('|')
            .map(choice => choice.trim())
        : [part]
      const optional = choices.includes('')
      const words = choices
        .filter(choice => choice !== '')
        .map(choice =>
          choice
            .split(/[\s-]+/)
            .map(escapeWord)
            .join(String.raw`[\W_]+`),
        )
      const group = words.length > 1 ? `(?:${words.join('|')})` : (words[0] as string)
      if (source === '' && optional) continue
      source += optional ? `(?:${joint}${group})?` : joint + group
      // A gap before something that may be missing still stands before what follows it.
      joint = optional && joint !== SEPARATOR ? joint : SEPARATOR
    }
  }
  // \b knows ASCII letters only.
  return /[^\x00-\x7f]/.test(source.replaceAll('’', '')) ? source : String.raw`\b${source}\b`
}

const SEPARATOR = String.raw`[\W_]+`

function escapeWord(word: string): string {
  return word === '#'
    ? String.raw`\d+`
    : word.replaceAll(/[.*+?^${}|[\]\\]/g, String.raw`\$&`).replaceAll(/['’]/g, "['’]?")
}

const PROVIDERS = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark', 'wayne', 'tyrell']
const SHAPES = [
  (name: string) => `${name}.?rate.?limit`,
  (name: string) => `${name}: quota (exceeded|exhausted)`,
  (name: string) => String.raw`${name} error \d+ throttled`,
  (name: string) => `${name}.*too many tokens`,
  (name: string) => `${name} (read|write) timeout`,
  (name: string) => String.raw`${name}\s+connection (reset|closed)`,
  (name: string) => `unexpected eof from ${name}`,
  (name: string) => `[a-z]+ pool of ${name} is empty`,
]

/** 200 signatures as operators write them. */
export const SIGNATURES: string[] = Array.from({ length: 200 }, (_, i) => {
  const name = `${PROVIDERS[i % PROVIDERS.length]}-${Math.floor(i / 64)}${'abcdefgh'[Math.floor(i / 8) % 8]}`
  return (SHAPES[i % SHAPES.length] as (name: string) => string)(name)
})
