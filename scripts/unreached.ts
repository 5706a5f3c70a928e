import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mulligan } from '../rolldown.config.ts'
import { coreEntryPoints, entryPoints } from './entry-points.ts'
import { importsOf } from './import-order.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The build puts it into a string. */
const READER_THREAD = 'src/ledger/sqlite/reader-thread.ts'

/** Sources that nothing published ever loads: kits of tests, which belong in test/, and what was forgotten. */
export function unreached(): string[] {
  const reached = new Set<string>()
  const toRead = [
    ...[...entryPoints(), ...coreEntryPoints()].map(({ file }) => file),
    ...[...Object.values(mulligan.input), READER_THREAD].map(file => join(ROOT, file)),
  ]
  for (let file = toRead.pop(); file !== undefined; file = toRead.pop()) {
    if (reached.has(file) || !existsSync(file)) continue
    reached.add(file)
    toRead.push(...loadedBy(file))
  }
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map(file => join(ROOT, 'src', file))
    .filter(file => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !reached.has(file))
    .map(file => file.slice(ROOT.length))
}

function loadedBy(file: string): string[] {
  return importsOf(readFileSync(file, 'utf8'))
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => join(dirname(file), specifier))
}
