import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { withVersion } from './earlier-version.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'

// What it costs to start with Mulligan, beside a Node that does nothing: processor time of whole processes that take
// turns, of the built package as a user has it. And its sizes. With BEFORE=COMMIT also those of an earlier version.

const RUNS = Number(process.env.RUNS ?? 21)
const here = fileURLToPath(new URL('..', import.meta.url))
const say = (line = '') => process.stdout.write(`${line}\n`)

/** Programs, by what they do, each with the most milliseconds above a bare Node that it may take. */
const PROGRAMS: readonly { name: string; argv: readonly string[]; most?: number }[] = [
  { name: 'bare Node', argv: ['empty.mjs'] },
  { name: "`import '@mulligan/core'`", argv: ['core.mjs'], most: 40 },
  { name: "`import 'mulligan'`", argv: ['import.mjs'], most: 60 },
  { name: 'the same, and a failure classified', argv: ['classify.mjs'] },
  { name: '`mulligan --help`', argv: ['mulligan', '--help'], most: 40 },
  { name: '`mulligan classify FILE`', argv: ['mulligan', 'classify', 'failure.txt'], most: 70 },
  { name: '`mulligan status`', argv: ['mulligan', 'status', '--data', 'data'], most: 150 },
]

/** Puts the built package of a checkout into a folder of its own, with the programs that are measured. */
function installed(root: string, folder: string): string {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const library = join(folder, 'node_modules', 'mulligan')
  mkdirSync(library, { recursive: true })
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(library, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(library, 'node_modules'))
  // A version before it had none.
  const core = join(root, 'packages', 'core')
  if (existsSync(core)) cpSync(core, join(folder, 'node_modules', '@mulligan', 'core'), { recursive: true })
  writeFileSync(join(folder, 'core.mjs'), existsSync(core) ? "import '@mulligan/core'" : "import 'mulligan'")
  writeFileSync(join(folder, 'empty.mjs'), '')
  writeFileSync(join(folder, 'import.mjs'), "import 'mulligan'")
  writeFileSync(
    join(folder, 'classify.mjs'),
    "import { classify } from 'mulligan'\nclassify(new Error('429 Too Many Requests'))",
  )
  writeFileSync(join(folder, 'failure.txt'), 'Error: 429 Too Many Requests')
  return folder
}

/** Milliseconds of processor time that a program takes, from its start to its end, as the shell counts them. */
function cpuMs(folder: string, [first = '', ...rest]: readonly string[]): number {
  const argv = [first === 'mulligan' ? 'node_modules/mulligan/bin/mulligan.js' : first, ...rest]
  const timed = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$0" "$@" >/dev/null', process.execPath, ...argv],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  const [user = 0, system = 0] = (timed.stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  if (timed.status !== 0) throw new Error(timed.stderr)
  return (user + system) * 1_000
}

/** Bytes of what a bundler makes of a program that imports one thing: as it is, and as it is sent. */
async function bundleOf(folder: string, contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  })
  const [file] = outputFiles
  const bytes = file?.contents ?? new Uint8Array()
  return `${kilobytes(bytes.length)} (${kilobytes(gzipSync(bytes).length)})`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(0)} kB`
}

async function sizes(root: string, folder: string): Promise<Record<string, string>> {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
  ) as [{ size: number; unpackedSize: number; entryCount: number }]
  return {
    '`import { classify }`, minified (and gzipped)': await bundleOf(
      folder,
      "import { classify } from 'mulligan'; console.log(classify)",
    ),
    '`import { call }`, minified (and gzipped)': await bundleOf(
      folder,
      "import { call } from 'mulligan'; console.log(call)",
    ),
    'package, unpacked': kilobytes(pack.unpackedSize),
    'package, packed': kilobytes(pack.size),
    'files in the package': String(pack.entryCount),
  }
}

async function measured(versions: Readonly<Record<string, string>>): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'mulligan-startup-'))
  try {
    const folders = Object.entries(versions).map(([name, root]) => ({
      name,
      root,
      folder: installed(root, join(temporary, name)),
      samples: PROGRAMS.map((): number[] => []),
    }))
    for (let round = 0; round <= RUNS; round++)
      for (const { folder, samples } of folders)
        PROGRAMS.forEach(({ argv }, index) => {
          const ms = cpuMs(folder, argv)
          // The first round fills the caches of the system.
          if (round > 0) samples[index]?.push(ms)
        })
    say(`Processor time, medians of ${RUNS} processes each; above bare Node, and as a multiple of it.`)
    say()
    say(`| | ${folders.map(({ name }) => name).join(' | ')} | to reach |`)
    say(`|---|${folders.map(() => '---|').join('')}---|`)
    PROGRAMS.forEach(({ name, most }, index) => {
      const cells = folders.map(({ samples }) => {
        const [bare, own] = [median(samples[0] as number[]), median(samples[index] as number[])]
        return index === 0
          ? `${own.toFixed(0)} ms`
          : `+${(own - bare).toFixed(0)} ms, ${(own / bare).toFixed(1)} ×`
      })
      say(`| ${name} | ${cells.join(' | ')} | ${most === undefined ? '' : `+${most} ms`} |`)
      if (index > 0)
        figure({
          what: `${name}, above bare Node`,
          unit: 'ms',
          better: 'less',
          values: Object.fromEntries(
            folders.map(({ name: version, samples }) => [
              version,
              median(samples[index] as number[]) - median(samples[0] as number[]),
            ]),
          ),
          ...(most === undefined ? {} : { aim: `${most} ms` }),
        })
    })
    say()
    const all = await Promise.all(folders.map(({ root, folder }) => sizes(root, folder)))
    say(`| size | ${folders.map(({ name }) => name).join(' | ')} |`)
    say(`|---|${folders.map(() => '---|').join('')}`)
    for (const title of Object.keys(all[0] ?? {}))
      say(`| ${title} | ${all.map(one => one[title]).join(' | ')} |`)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

const { BEFORE } = process.env
if (BEFORE === undefined) await measured({ now: here })
else await withVersion(here, BEFORE, before => measured({ now: here, [BEFORE]: before }), 'its own')
