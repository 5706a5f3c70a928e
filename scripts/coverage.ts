// Which branches of the sources the suite takes, by folder: `npm run coverage`, or `npm run coverage -- src/verdict` for some tests.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withTools } from './install-once.ts'

interface Counted {
  total: number
  covered: number
}

const root = fileURLToPath(new URL('..', import.meta.url))
const reports = join(root, 'coverage')
const environment = withTools()
const { status } = spawnSync(
  'vitest',
  [
    'run',
    '--coverage.enabled',
    // Not `v8`: Vitest looks for that beside itself, and the tools have a folder of their own.
    '--coverage.provider=custom',
    `--coverage.customProviderModule=${join(root, 'scripts/tools/node_modules/@vitest/coverage-v8/dist/index.js')}`,
    '--coverage.include=src/**/*.ts',
    '--coverage.exclude=**/*.test.ts',
    '--coverage.reporter=json-summary',
    `--coverage.reportsDirectory=${reports}`,
    '--coverage.reportOnFailure',
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: environment },
)
const summary = JSON.parse(readFileSync(join(reports, 'coverage-summary.json'), 'utf8')) as Record<
  string,
  { branches: Counted; lines: Counted }
>
const folders = new Map<string, { branches: Counted; lines: Counted }>()
for (const [file, { branches, lines }] of Object.entries(summary)) {
  if (file === 'total') continue
  for (const name of [file.slice(root.length).split('/').slice(0, 2).join('/'), 'all']) {
    const known = folders.get(name) ?? { branches: { total: 0, covered: 0 }, lines: { total: 0, covered: 0 } }
    folders.set(name, known)
    known.branches.total += branches.total
    known.branches.covered += branches.covered
    known.lines.total += lines.total
    known.lines.covered += lines.covered
  }
}
const share = ({ total, covered }: Counted) =>
  total === 0 ? '–' : `${((100 * covered) / total).toFixed(1)} %`
process.stdout.write('\n| folder | branches taken | lines run |\n|---|---|---|\n')
for (const [name, { branches, lines }] of [...folders].sort(([a], [b]) => a.localeCompare(b)))
  process.stdout.write(`| ${name} | ${share(branches)} of ${branches.total} | ${share(lines)} |\n`)
process.exitCode = status ?? 1
