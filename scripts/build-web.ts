// Builds the dashboard, unless it is already built from the same sources. `node scripts/build-web.ts [FOLDER]`; default
// dist/web.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WEB = join(ROOT, 'web')
/** Inputs of the build outside web/: tools, and lists shared with the daemon. */
const OTHER_INPUTS = [
  'package-lock.json',
  'src/failure/failure.ts',
  'src/ledger/event.ts',
  'src/ledger/operation.ts',
  'src/option/nearest.ts',
  'src/verdict/verdict.ts',
]
/** File with the fingerprint of the sources. */
const STAMP = 'built-from'

/** Builds the dashboard into a folder if its sources or tools have changed. */
export async function buildWeb(folder: string): Promise<void> {
  const stamp = join(folder, STAMP)
  const wanted = fingerprintOfSources()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // Loaded only if there is something to build, because loading takes longer than checking.
  const { build } = await import('vite')
  await build({
    root: WEB,
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  })
  writeFileSync(stamp, wanted)
}

function fingerprintOfSources(): string {
  const hash = createHash('sha256')
  for (const name of OTHER_INPUTS) hash.update(readFileSync(join(ROOT, name)))
  const names = readdirSync(WEB, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  for (const name of names)
    hash.update(name.slice(WEB.length)).update('\0').update(readFileSync(name)).update('\0')
  return hash.digest('hex')
}

if (import.meta.main) await buildWeb(resolve(process.argv[2] ?? join(ROOT, 'dist', 'web')))
