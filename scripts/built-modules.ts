import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RolldownPlugin, rolldown } from 'rolldown'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import { CATALOGUE } from '../src/failure/catalogue/index.ts'
import { catalogueReasons } from '../src/failure/catalogue/reasons.ts'
import { takeSteps } from '../src/ledger/sqlite/migrations.ts'
import { DatabaseSync } from '../src/ledger/sqlite/node-sqlite.ts'
import { inAscii } from './ascii.ts'

/** Modules that the build replaces, and the code that replaces them. */
const MADE = [
  { file: '/src/failure/catalogue/compiled.ts', code: compiledCatalogueModule },
  { file: '/src/failure/catalogue/reasons.ts', code: reasonsModule },
  { file: '/src/ledger/sqlite/thread-text.ts', code: threadTextModule },
  { file: '/src/ledger/sqlite/whole-schema.ts', code: wholeSchemaModule },
]

/** Writes the code of each replaced module to a folder, for processes that run the sources (`load-built.mjs`). */
export async function writeBuiltModules(folder: string): Promise<void> {
  for (const { file, code } of MADE) {
    const place = join(folder, file)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, await code())
  }
}

/**
 * Replaces modules at build time: the catalogue becomes its compiled form without examples, the ledger's reader thread
 * becomes a string, so it survives any user's bundler, and the steps of its schema become one.
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
  const text = inAscii(JSON.stringify(value).replaceAll(/[\\`]|\$\{/g, String.raw`\$&`))
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

function wholeSchemaModule(): string {
  return `export const WHOLE_SCHEMA = ${JSON.stringify(wholeSchema())}\n`
}

/** What the steps of the SQLite ledger's schema make together. Their last word on a table is kept as they wrote it. */
export function wholeSchema(): string {
  const db = new DatabaseSync(':memory:')
  takeSteps(db, 0)
  const made = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
      ORDER BY type <> 'table', rowid`)
    .all() as { name: string; sql: string }[]
  db.close()
  // A full-text table makes tables of its own.
  const virtual = made.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL')).map(({ name }) => `${name}_`)
  const own = made.filter(({ name }) => !virtual.some(prefix => name.startsWith(prefix)))
  return own.map(({ sql }) => `${sql};\n`).join('')
}
