import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs one measurement by name, after installing the peers that it is compared with.
const folder = fileURLToPath(new URL('.', import.meta.url))
const helpers = new Set([
  'run',
  'measure',
  'patterns',
  'texts',
  'peers',
  'health-world',
  'health-routers',
  'health-chart',
  'ledger-memory',
  'queue-peers',
  'queue-measures',
  'queue-one',
  'filters-world',
  'load-part',
  'classify-before-part',
  'earlier-version',
])
const names = readdirSync(folder)
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -3))
  .filter(name => !helpers.has(name))

const [name] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- NAME; one of: ${names.join(', ')}\n`)
  process.exit(2)
}
const lock = join(folder, 'node_modules', '.package-lock.json')
if (!existsSync(lock) || statSync(lock).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs) {
  process.stderr.write('bench: installing peers (npm ci)\n')
  execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' })
}
const peers = (
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
).dependencies
process.stdout.write(
  `Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores. Peers: ${Object.entries(peers)
    .map(([peer, version]) => `${peer} ${version}`)
    .join(', ')}.\n\n`,
)
await import(`./${name}.ts`)
