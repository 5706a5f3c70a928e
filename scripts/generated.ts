// Fills the parts of the documentation that are generated from the code, between these marks:
//   <!-- generated: NAME -->
//   <!-- end of NAME -->
// `npm run docs` writes them; a test fails if they are out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configJsonSchema } from '../src/config/json-schema.ts'
import { commandsDocument } from './commands-document.ts'
import { configDocument } from './config-tables.ts'
import { faultTable } from './fault-table.ts'
import { fieldSections } from './field-tables.ts'
import { gatewayDocuments } from './gateway-documents.ts'
import { installTable } from './install-table.ts'
import { optionTable } from './option-table.ts'
import { policySections } from './policy-tables.ts'
import { libraryDocument } from './public-names.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Generators by the name in the mark. */
export const SECTIONS: Record<string, () => string> = {
  ...policySections,
  ...fieldSections,
  options: optionTable,
  faults: faultTable,
  install: installTable,
}

/** The text with every generated part updated. Throws if a mark has no generator. */
export function filled(text: string): string {
  return text.replaceAll(/<!-- generated: (\S+) -->\n[\s\S]*?<!-- end of \1 -->/g, (_whole, name: string) => {
    const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined
    if (!section) throw new Error(`no generator is named ${JSON.stringify(name)}`)
    return `<!-- generated: ${name} -->\n${section().trim()}\n<!-- end of ${name} -->`
  })
}

/** The documents with their current text. */
export function documents(): { file: string; text: string }[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(name => {
      const file = join(root, 'docs', name)
      return { file, text: readFileSync(file, 'utf8') }
    })
}

/** Files that are generated as a whole, with the text they should have. */
export async function madeFiles(): Promise<{ file: string; text: string }[]> {
  const reference = (page: string) => join(root, 'docs', 'reference', `${page}.md`)
  const { routes, metrics } = await gatewayDocuments()
  const schema = `${JSON.stringify(configJsonSchema(), null, 2)}\n`
  return [
    { file: join(root, 'docs', 'mulligan.schema.json'), text: schema },
    { file: reference('library'), text: libraryDocument() },
    { file: reference('commands'), text: await commandsDocument() },
    { file: reference('config'), text: configDocument() },
    { file: reference('http'), text: routes },
    { file: reference('metrics'), text: metrics },
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of documents()) {
    const now = filled(text)
    if (now === text) continue
    writeFileSync(file, now)
    process.stderr.write(`mulligan: wrote ${file}\n`)
  }
  for (const { file, text } of await madeFiles()) writeFileSync(file, text)
}
