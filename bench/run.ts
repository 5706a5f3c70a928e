import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnce } from '../scripts/install-once.ts'
import { measureEverything, writePage } from './everything.ts'

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
  'storm-part',
  'ledger-memory',
  'queue-peers',
  'queue-measures',
  'queue-one',
  'filters-world',
  'load-part',
  'classify-before-part',
  'earlier-version',
  'workflow-dbos',
  'scale-part',
  'scale-build',
  'scale-peers',
  'scale-servers',
  'scale-claim',
  'scale-written',
  'scale-processor',
  'proxy-contenders',
  'figures',
  'everything',
])
const names = readdirSync(folder)
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -3))
  .filter(name => !helpers.has(name))

const [name, ...rest] = process.argv.slice(2)
if (name !== undefined && name !== 'page' && name !== 'all' && !names.includes(name)) {
  process.stderr.write(
    `usage: npm run bench [-- all NAME…]   measures everything, or these, and writes docs/performance.md
       npm run bench -- page           writes docs/performance.md anew from what is kept
       npm run bench -- NAME           one of: ${names.join(', ')}\n`,
  )
  process.exit(2)
}
installOnce(folder, 'peers')
if (name === undefined || name === 'all') {
  await measureEverything(rest)
  process.exit(process.exitCode)
}
if (name === 'page') {
  writePage()
  process.exit()
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
