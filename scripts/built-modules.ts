import { fileURLToPath } from 'node:url'
import { type RolldownPlugin, rolldown } from 'rolldown'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import { CATALOGUE } from '../src/failure/catalogue/index.ts'
import { catalogueReasons } from '../src/failure/catalogue/reasons.ts'

/** Modules that the build replaces, and the code that replaces them. */
const MADE = [
  { file: '/src/failure/catalogue/compiled.ts', code: compiledCatalogueModule },
  { file: '/src/failure/catalogue/reasons.ts', code: reasonsModule },
  { file: '/src/ledger/sqlite/thread-text.ts', code: threadTextModule },
]

/** Whether the build replaces a module, so a cache of its source says nothing about its content. */
export function isMade(id: string): boolean {
  return MADE.some(({ file }) => id.endsWith(file))
}

/**
 * Replaces two modules at build time: the catalogue becomes its compiled form without examples, and the ledger's reader
 * thread becomes a string, so it survives any user's bundler.
 */
export function builtModules(): RolldownPlugin {
  return { name: 'built-modules', load: id => MADE.find(({ file }) => id.endsWith(file))?.code() }
}

/**
 * The catalogue as JSON in a string, which parses faster than an object literal, and only when the first failure comes.
 * In ASCII, which takes half the memory of other strings; in backticks, where quotes need no escapes.
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

/** The bundled program of the ledger's reader thread. */
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
