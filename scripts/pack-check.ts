// Packs the package and uses it as users do: publint and arethetypeswrong check it, TypeScript compiles a program against
// it with both module resolutions, and Node loads every entry point. `npm run pack:check`; exits with 0 if all pass.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryPoints } from './entry-points.ts'
import { withTools } from './install-once.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mulligan-pack-'))
const installed = join(folder, 'node_modules', 'mulligan')
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}
const environment = withTools()
const tarball = join(folder, `mulligan-${version}.tgz`)

check('pack', 'npm', ['pack', '--silent', '--pack-destination', folder], root)
check('publint', 'publint', ['run', tarball, '--strict'], root)
// The package has no CommonJS, because Node can load its modules with require() too.
check('arethetypeswrong', 'attw', [tarball, '--profile', 'esm-only'], root)

mkdirSync(installed, { recursive: true })
check('unpack', 'tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'], root)
for (const name of [...Object.keys(dependencies), '@types', 'undici-types']) {
  mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
}
writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
copyFileSync(join(root, 'scripts', 'consumer', 'program.ts'), join(folder, 'program.ts'))
const strict = [
  '--strict',
  '--skipLibCheck',
  'false',
  '--target',
  'es2024',
  '--lib',
  'es2024',
  '--types',
  'node',
]
for (const [resolution, module] of [
  ['node16', 'node16'],
  ['bundler', 'esnext'],
] as const) {
  const modules = ['--moduleResolution', resolution, '--module', module]
  const declared = ['--declaration', '--emitDeclarationOnly', '--outDir', `out-${resolution}`]
  check(
    `types (${resolution})`,
    'tsc',
    ['--ignoreConfig', ...strict, ...modules, ...declared, 'program.ts'],
    folder,
  )
}
const imports = entryPoints().map(({ specifier }) => `await import(${JSON.stringify(specifier)})`)
check('load', process.execPath, ['--input-type=module', '-e', imports.join('\n')], folder)

/** Runs one check. Shows its output and exits if it fails. */
function check(name: string, command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr, error }: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
  })
  if (status === 0) {
    process.stderr.write(`pack:check: ${name}: ok\n`)
    return
  }
  process.stderr.write(
    `${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}pack:check: ${name}: failed\n`,
  )
  process.exit(1)
}
