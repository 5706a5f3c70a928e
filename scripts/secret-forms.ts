// Renews src/failure/secret/secretlint.ts from the rules of secretlint (MIT): `node scripts/secret-forms.ts`. The rules are run on a
// text, and the patterns that they search it with are noted; those that begin with a prefix become a line of data.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { withTools } from './install-once.ts'

const TOOLS = fileURLToPath(new URL('tools', import.meta.url))
const TARGET = fileURLToPath(new URL('../src/failure/secret/secretlint.ts', import.meta.url))
const PACKAGE = '@secretlint/secretlint-rule-preset-recommend'
const TEXT = 'a text without secrets, that every rule searches to its end'

interface Rule {
  meta: { id: string }
  create(context: unknown, options: unknown): { file?(source: unknown): unknown }
}

/** The patterns that the rules search a text with. */
async function patternsOf(rules: readonly Rule[]): Promise<RegExp[]> {
  const seen = new Map<string, RegExp>()
  const original = String.prototype.matchAll
  String.prototype.matchAll = function (this: string, pattern: RegExp) {
    if (pattern instanceof RegExp) seen.set(String(pattern), pattern)
    return original.call(this, pattern)
  } as typeof original
  try {
    for (const rule of rules) {
      const context = { createTranslator: () => () => '', report() {}, ignore() {}, sharedOptions: {} }
      await rule.create(context, {}).file?.({
        content: TEXT,
        filePath: '/a.env',
        ext: '.env',
        contentType: 'text',
      })
    }
  } finally {
    String.prototype.matchAll = original
  }
  return [...seen.values()]
}

/** What follows a prefix: many of a class of key characters. */
const BODY = /^\[[^\]]+\]\{\d/

/** The literal prefixes of a pattern, if a class of characters follows them. */
export function prefixesOf(source: string): string[] | undefined {
  const text = source.replace(/^\(\?<!\\p\{L\}\)/, '').replace(/^\\b/, '')
  const group = /^\((?:\?:|\?<\w+>)?([\w|-]+)\)([_.-]?)/.exec(text)
  const literal = group ?? /^([\w-]{2,20}|\w{2,5}\\\.)()(?=\[)/.exec(text)
  if (!literal) return undefined
  if (!BODY.test(text.slice(literal[0].length))) return undefined
  const end = literal[2] as string
  return (literal[1] as string).split('|').map(one => `${one.replace('\\', '')}${end}`.toLowerCase())
}

/** Bodies need no more than this to be keys, because texts are cut, and no less, because names are shorter. */
const ENOUGH = 16

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  withTools()
  const resolved = createRequire(join(TOOLS, 'package.json')).resolve(PACKAGE)
  const { version, license } = JSON.parse(
    readFileSync(join(TOOLS, 'node_modules', PACKAGE, 'package.json'), 'utf8'),
  ) as { version: string; license: string }
  if (license !== 'MIT') throw new Error(`the licence of ${PACKAGE} is ${license} now: read it first`)
  const { creator } = (await import(pathToFileURL(resolved).href)) as {
    creator: { create(context: unknown, options: unknown): void }
  }
  const rules: Rule[] = []
  creator.create({ registerRule: (rule: Rule) => rules.push(rule), sharedOptions: {} }, {})
  const all = new Set<string>()
  for (const pattern of await patternsOf(rules)) {
    for (const prefix of prefixesOf(pattern.source) ?? []) all.add(prefix)
  }
  const lines: string[] = []
  for (const prefix of [...all].sort()) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + prefix.length < 100) lines[lines.length - 1] = `${last} ${prefix}`
    else lines.push(`${ENOUGH} ${prefix}`)
  }
  writeFileSync(
    TARGET,
    `// Made by scripts/secret-forms.ts from the rules of secretlint ${version}, (c) azu and contributors, MIT licence.

/** Prefixes of keys, after the least length of what follows them. */
export const SECRETLINT = \`
${lines.join('\n')}
\`
`,
  )
  process.stderr.write(`${rules.length} rules, ${lines.length} lines in ${TARGET}\n`)
}
