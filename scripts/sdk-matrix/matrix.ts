import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isCallFailed } from '../../src/call/call-failed.ts'
import { installOnce } from '../install-once.ts'
import type { Client } from './clients.ts'
import { FAULTS, type Fault, GOOD } from './faults.ts'
import { type Cell, matrixCsv, page, problemsOf } from './report.ts'
import { faultServer } from './server.ts'

// Asks real clients with every fault of the server: bare, with the peer that fails over for them, and with Mulligan.
// npm run sdk:matrix [-- words of clients or faults] writes docs/sdk-matrix.md and its CSV if everything ran.
const words = process.argv.slice(2)
installOnce(fileURLToPath(new URL('.', import.meta.url)), 'the clients of the matrix')
// First the wrappers with the real packages, one by one.
if (words.length === 0)
  execFileSync('npx', ['vitest', 'run', '--config', 'scripts/sdk-matrix/vitest.config.ts'], {
    stdio: 'inherit',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  })
const { CLIENTS } = await import('./clients.ts')
const { bare, mulligan, peers, wrapped } = await import('./run.ts')
const { requestsWithoutRetries } = await import('./retries.ts')
const { toolsRepeated } = await import('./tools.ts')

// Clients let promises go that nobody can listen to, and warn about what the matrix does on purpose.
const strays: unknown[] = []
process.on('unhandledRejection', error => {
  if (isCallFailed(error) || (error instanceof Error && error.name === 'StreamCut')) strays.push(error)
})
for (const name of ['warn', 'error', 'log'] as const) console[name] = () => {}

const server = await faultServer()
const questions: [Client, Fault][] = CLIENTS.flatMap(client =>
  [...FAULTS, ...GOOD]
    .filter(
      ({ of, only }) =>
        (client.streams || (of !== 'stream' && !only)) && (only ?? client.vendor) === client.vendor,
    )
    .filter(fault => words.every(word => `${client.name} ${fault.name}`.includes(word)))
    .map((fault): [Client, Fault] => [client, fault]),
)
const cells: Cell[] = []
let next = 0
const ask = async () => {
  while (next < questions.length) {
    const [client, fault] = questions[next++] as [Client, Fault]
    const [without, withPeers, withUs, inOneLine] = await Promise.all([
      bare(client, server.url, fault),
      peers(client, server.url, fault),
      mulligan(client, server.url, fault),
      wrapped(client, server.url, fault),
    ])
    cells.push({ client, fault, without, withPeers, withUs, inOneLine })
  }
}
await Promise.all(Array.from({ length: 10 }, ask))
server.close()
const problems = problemsOf(cells)
const requests = words.length === 0 ? await requestsWithoutRetries() : {}
for (const [client, count] of Object.entries(requests))
  if (count !== 1) problems.push(`retries: ${client} made ${count} requests with its retries off`)
const tools = await toolsRepeated()
if (tools['`resilient`'] !== 0) problems.push('tools: resilient ran one again')
for (const problem of problems) process.stdout.write(`${problem}\n`)
const text = page(cells, CLIENTS, strays.length, tools)
process.stdout.write(`\n${text}`)
if (words.length === 0) {
  writeFileSync(new URL('../../docs/sdk-matrix.md', import.meta.url), text)
  writeFileSync(new URL('../../docs/sdk-matrix.csv', import.meta.url), matrixCsv(cells))
}
// Some clients drop what the vendor said, so one class in a hundred may be wrong.
const wrong = problems.filter(problem => problem.startsWith('wrong class')).length
process.exit(problems.length === wrong && wrong <= questions.length / 100 ? 0 : 1)
