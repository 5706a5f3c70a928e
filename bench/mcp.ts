import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { figure } from './figures.ts'
import { median } from './measure.ts'

// What a call of a tool takes longer through the wrap than directly, beside the proxies that people use, which take it to
// HTTP on the way. All of them stand before the same server, and take turns. And the memory that each keeps.

const ROUNDS = Number(process.env.ROUNDS ?? 20)
const CALLS = Number(process.env.CALLS ?? 100)
const root = fileURLToPath(new URL('..', import.meta.url))
const say = (line = '') => process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'mulligan-bench-mcp-'))
const server = [
  process.execPath,
  join(root, 'test/gateway/mcp/wrap/faulty-server.ts'),
  join(folder, 'server'),
]

interface Subject {
  name: string
  client: Client
  /** The process between client and server; undefined if there is none. */
  pid?: number | undefined
  samples: number[]
  close(): Promise<void>
}

/** The built package, as a user has it. */
function built(): string {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  return join(root, 'dist', 'cli', 'main.js')
}

async function overStdio(name: string, argv: readonly string[], isBetween: boolean): Promise<Subject> {
  const [command = '', ...args] = argv
  const transport = new StdioClientTransport({
    command,
    args,
    stderr: 'ignore',
    env: { ...(process.env as Record<string, string>), XDG_STATE_HOME: folder },
  })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  const pid = isBetween ? (transport.pid ?? undefined) : undefined
  return { name, client, pid, samples: [], close: () => client.close() }
}

async function overHttp(name: string, argv: (port: number) => readonly string[]): Promise<Subject> {
  const port = await freePort()
  const [command = '', ...args] = argv(port)
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  const client = new Client({ name: 'bench', version: '1' })
  for (let tries = 0; ; tries++)
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
      break
    } catch (error) {
      if (tries >= 100) throw error
      await delay(100)
    }
  return {
    name,
    client,
    pid: child.pid,
    samples: [],
    close: async () => {
      await client.close()
      process.kill(-(child.pid as number), 'SIGKILL')
    },
  }
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** Megabytes that a process keeps in memory. Only Linux tells. */
function memoryOf(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return undefined
  }
}

async function round({ client, samples }: Subject): Promise<void> {
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now()
    await client.callTool({ name: 'read', arguments: { id: 'x' } })
    samples.push(performance.now() - began)
  }
}

const main = built()
const runs = `const { main } = await import(${JSON.stringify(main)}); await main(process.argv.slice(1))`
const bin = (name: string) => join(root, 'bench', 'node_modules', '.bin', name)
const subjects = [
  await overStdio('directly', server, false),
  await overStdio(
    'mulligan mcp wrap',
    [process.execPath, '--input-type=module', '-e', runs, '--', 'mcp', 'wrap', '--', ...server],
    true,
  ),
  await overHttp('mcp-proxy', port => [
    bin('mcp-proxy'),
    '--port',
    `${port}`,
    '--server',
    'stream',
    '--',
    ...server,
  ]),
  await overHttp('supergateway', port => [
    bin('supergateway'),
    ...[
      '--stdio',
      server.join(' '),
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--port',
      `${port}`,
    ],
  ]),
]
for (const subject of subjects) await round(subject)
for (const subject of subjects) subject.samples.length = 0
for (let times = 0; times < ROUNDS; times++) for (const subject of subjects) await round(subject)

const [direct] = subjects
const base = median(direct?.samples ?? [])
say(`One call of a tool over ${ROUNDS} rounds of ${CALLS} calls each, in turns; median in milliseconds:`)
say()
say('| way | a call | added | memory of the process between, MB |')
say('|---|---|---|---|')
for (const { name, samples, pid } of subjects) {
  const ms = median(samples)
  const memory = pid === undefined ? undefined : memoryOf(pid)
  say(
    `| ${name} | ${ms.toFixed(3)} | ${(ms - base).toFixed(3)} | ${memory === undefined ? '' : memory.toFixed(0)} |`,
  )
}
const wrap = subjects.find(({ name }) => name.includes('mulligan'))
if (wrap)
  figure({
    what: 'added to a call of an MCP tool',
    unit: 'ms',
    better: 'less',
    values: Object.fromEntries(
      [wrap, ...subjects.filter(subject => subject !== wrap && subject !== direct)].map(
        ({ name, samples }) => [name, median(samples) - base],
      ),
    ),
  })
await Promise.all(subjects.map(subject => subject.close()))
rmSync(folder, { recursive: true, force: true })
process.exit(0)
