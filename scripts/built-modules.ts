import { fileURLToPath } from 'node:url'
import { type RolldownPlugin, rolldown } from 'rolldown'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import { CATALOGUE } from '../src/failure/catalogue/index.ts'
import { catalogueReasons } from '../src/failure/catalogue/reasons.ts'

/** Modules that stand in for what the build makes, and what it makes of them. */
const MADE = [
  { file: '/src/failure/catalogue/compiled.ts', code: compiledCatalogueModule },
  { file: '/src/failure/catalogue/reasons.ts', code: reasonsModule },
  { file: '/src/ledger/sqlite/thread-text.ts', code: threadTextModule },
]

/** Whether a module is made anew by each build: what is kept of it tells nothing of what it is made from. */
export function isMade(id: string): boolean {
  return MADE.some(({ file }) => id.endsWith(file))
}

/**
 * Puts what is made beforehand in the place of modules that stand in for it when the sources are run: the catalogue,
 * compiled and without its examples, and the reading thread of the ledger as one text, so that it comes along wherever a
 * user's bundler puts our files.
 */
export function builtModules(): RolldownPlugin {
  return { name: 'built-modules', load: id => MADE.find(({ file }) => id.endsWith(file))?.code() }
}

/**
 * The catalogue as JSON in a text, which is read faster than the same as a literal, and only when the first failure
 * comes. In ASCII, which takes half the memory of a text with other characters; in backticks, where quotes need no
 * escapes.
 */
export function compiledCatalogueModule(): string {
  return moduleOf('compiledCatalogue', compileCatalogue(CATALOGUE))
}

/** Why each rule exists, in a module of its own: only a bundle that explains rules has it. */
export function reasonsModule(): string {
  return moduleOf('catalogueReasons', catalogueReasons())
}

function moduleOf(name: string, value: unknown): string {
  const text = JSON.stringify(value)
    .replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)
    .replaceAll(/[^\x00-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `const TEXT = \`${text}\`
export function ${name}() {
  return JSON.parse(TEXT)
}
`
}

async function threadTextModule(): Promise<string> {
  return `export const THREAD_TEXT = ${JSON.stringify(await threadText())}\n`
}

/** The program of the reading thread of the ledger. */
export async function threadText(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../src/ledger/sqlite/reader-thread.ts', import.meta.url)),
    platform: 'node',
    external: [/^node:/],
    plugins: [builtModules()],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify: true })
  await bundle.close()
  return output[0].code
}
