// Packs both packages and uses them as users do: publint and arethetypeswrong check them, TypeScript compiles programs against
// them with both module resolutions, and Node loads every entry point and runs the command. `npm run pack:check`; exits with 0
// if all pass. `npm run pack:check -- --node FILE` does the last part also on another Node, and may be given several times.
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { coreEntryPoints, entryPoints } from './entry-points.ts'
import { withTools } from './install-once.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const core = join(root, 'packages', 'core')
const folder = mkdtempSync(join(tmpdir(), 'mulligan-pack-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true, default: [] } } })
/** The Nodes on which what is packed runs. */
const NODES = [process.execPath, ...values.node].map(file => ({
  file,
  version: execFileSync(file, ['--version'], { encoding: 'utf8' }).trim(),
}))

const COMMAND = join(folder, 'node_modules', 'mulligan', 'bin', 'mulligan.js')

/** The most that core may take where it is installed. */
const CORE_BYTES = 1_500_000

const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}
if (dependencies['@mulligan/core'] !== version || versionOf(core) !== version)
  fail('versions', `mulligan ${version} needs @mulligan/core ${version}: their internals belong together`)
const environment = withTools()
mkdirSync(join(folder, 'node_modules', '@mulligan'), { recursive: true })
writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')

// Packing mulligan builds both, so core is packed as it is.
for (const [from, name, target, more] of [
  [root, 'mulligan', 'mulligan', []],
  [core, 'mulligan-core', '@mulligan/core', ['--ignore-scripts']],
] as const) {
  const tarball = join(folder, `${name}-${version}.tgz`)
  const installed = join(folder, 'node_modules', target)
  mkdirSync(installed, { recursive: true })
  check(`pack ${target}`, 'npm', ['pack', '--silent', '--pack-destination', folder, ...more], from)
  check(`unpack ${target}`, 'tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'], root)
  check(`publint ${target}`, 'publint', ['run', tarball, '--strict'], root)
  // The packages have no CommonJS, because Node can load their modules with require() too.
  check(`arethetypeswrong ${target}`, 'attw', [tarball, '--profile', 'esm-only'], root)
}
const bytes = sizeOf(join(folder, 'node_modules', '@mulligan', 'core'))
if (bytes > CORE_BYTES) fail('size of core', `${bytes} bytes are more than ${CORE_BYTES}`)
process.stderr.write(`pack:check: size of core: ${bytes} bytes\n`)

// A program that has only core: no other package is there.
const alone = join(folder, 'alone')
mkdirSync(join(alone, 'node_modules', '@mulligan'), { recursive: true })
cpSync(join(folder, 'node_modules', '@mulligan', 'core'), join(alone, 'node_modules', '@mulligan', 'core'), {
  recursive: true,
})
writeFileSync(join(alone, 'package.json'), '{"type":"module","private":true}')
compileAndRun(alone, 'core-program.ts', ['--types', ''])
load('core', coreEntryPoints(), alone)

for (const name of [...Object.keys(dependencies), '@types', 'undici-types']) {
  const installed = join(folder, 'node_modules', name)
  if (name === '@mulligan/core') continue
  mkdirSync(dirname(installed), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), installed)
}
compile(folder, 'program.ts', ['--types', 'node'])
load('mulligan', entryPoints(), folder)
compileAndRun(folder, 'both.ts', ['--types', 'node'])
compileAndRun(folder, 'upgraded.ts', ['--types', 'node'])
for (const node of NODES) {
  check(`run the command on Node ${node.version}`, node.file, [COMMAND, 'tour'], folder)
  const data = join(folder, `data-${node.version}`)
  const submit = [COMMAND, 'submit', 'report', '--unchecked', '--data', data]
  check(`write a ledger on Node ${node.version}`, node.file, submit, folder)
}

/** Compiles a user's program with both module resolutions. */
function compile(where: string, program: string, types: readonly string[]): void {
  copyFileSync(join(root, 'scripts', 'consumer', program), join(where, program))
  const strict = [
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2024',
    '--lib',
    'es2024,esnext.disposable,dom',
    ...types,
  ]
  for (const [resolution, module] of [
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ] as const) {
    const modules = ['--moduleResolution', resolution, '--module', module]
    const declared = ['--declaration', '--emitDeclarationOnly', '--outDir', `out-${resolution}`]
    const args = ['--ignoreConfig', ...strict, ...modules, ...declared, program]
    check(`types of ${program} (${resolution})`, 'tsc', args, where)
  }
}

function compileAndRun(where: string, program: string, types: readonly string[]): void {
  compile(where, program, types)
  for (const node of NODES) check(`run ${program} on Node ${node.version}`, node.file, [program], where)
}

function load(name: string, entries: readonly { specifier: string }[], where: string): void {
  const program = entries.map(({ specifier }) => `await import(${JSON.stringify(specifier)})`).join('\n')
  for (const node of NODES)
    check(`load ${name} on Node ${node.version}`, node.file, ['--input-type=module', '-e', program], where)
}

function versionOf(where: string): string {
  return (JSON.parse(readFileSync(join(where, 'package.json'), 'utf8')) as { version: string }).version
}

function sizeOf(where: string): number {
  return readdirSync(where, { recursive: true, encoding: 'utf8' })
    .map(name => statSync(join(where, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
}

/** Runs one check. Shows its output and exits if it fails. */
function check(name: string, command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr, error }: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
  })
  // To who runs the command, Node's experiments are no news.
  if (status === 0 && !(args[0] === COMMAND && stderr.includes('ExperimentalWarning'))) {
    process.stderr.write(`pack:check: ${name}: ok\n`)
    return
  }
  fail(name, `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
}

function fail(name: string, why: string): never {
  process.stderr.write(`${why.trimEnd()}\npack:check: ${name}: failed\n`)
  process.exit(1)
}
