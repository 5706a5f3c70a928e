import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/process/run.ts'
import { startFront } from './http-front.ts'

// Runs the official conformance suite on a server and a client: directly, and with the wrap between them and the suite. The
// wrap must not lose a check that passes directly. Logins are left out: the wrap makes none.
//
//   node scripts/mcp-conformance/mcp-conformance.ts

const VERSION = '0.2.0-alpha.12'
const REVISIONS = ['2025-11-25', '2026-07-28']
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const COMMAND = file('../../bin/mulligan.js')
const SERVER = [process.execPath, file('./server.ts')]
const work = mkdtempSync(join(tmpdir(), 'mulligan-conformance-'))
const say = (line: string) => process.stdout.write(`${line}\n`)

/** The suite, installed on first use. */
async function suite(): Promise<string> {
  const folder = resolve('.cache/mcp-conformance')
  const bin = join(folder, 'node_modules', '.bin', 'conformance')
  if (existsSync(bin)) return bin
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const wanted = `@modelcontextprotocol/conformance@${VERSION}`
  const { exitCode, stderr } = await run({ argv: ['npm', 'install', '--no-audit', wanted], cwd: folder })
  if (exitCode !== 0) throw new Error(`${wanted} cannot be installed: ${stderr}`)
  return bin
}

/** How often each check ended how, by scenario and id: `tools-list tools-list SUCCESS`. */
type Checks = Map<string, number>

async function checked(bin: string, args: readonly string[], name: string): Promise<Checks> {
  const output = join(work, name.replace(/\W+/g, '-'))
  await run({ argv: [bin, ...args, '-o', output], env: process.env, timeoutMs: 600_000 })
  const checks: Checks = new Map()
  for (const folder of readdirSync(output, { recursive: true }) as string[]) {
    if (!folder.endsWith('checks.json') || folder.includes('auth')) continue
    const scenario = folder.replace(/-\d{4}-\d\d-\d\dT.*$/s, '')
    const found = JSON.parse(readFileSync(join(output, folder), 'utf8')) as { id: string; status: string }[]
    for (const { id, status } of found) {
      const key = `${scenario} ${id} ${status}`
      checks.set(key, (checks.get(key) ?? 0) + 1)
    }
  }
  return checks
}

const sum = (checks: Checks, status: string) =>
  [...checks].reduce((all, [key, count]) => all + (key.endsWith(` ${status}`) ? count : 0), 0)

/** Says what passed, and which checks passed directly and do not now. */
function report(name: string, checks: Checks, direct: Checks = checks): void {
  say(`${name}: ${sum(checks, 'SUCCESS')} checks pass, ${sum(checks, 'FAILURE')} fail`)
  for (const [key, count] of direct)
    if (key.endsWith(' SUCCESS') && (checks.get(key) ?? 0) < count) {
      say(`  lost: ${key.replace(/ SUCCESS$/, '')}`)
      process.exitCode = 1
    }
}

async function ofServer(bin: string, revision: string, argv: readonly string[], name: string) {
  const { url, stop } = await startFront(argv)
  try {
    return await checked(bin, ['server', '--url', url, '--requirements', revision], name)
  } finally {
    stop()
  }
}

const wrap = (name: string) => [
  ...[process.execPath, COMMAND, 'mcp', 'wrap', '--no-extra-tool'],
  ...['--data', join(work, `data-${name.replace(/\W+/g, '-')}`)],
]
const bin = await suite()
for (const revision of REVISIONS) {
  const direct = await ofServer(bin, revision, SERVER, `server ${revision}`)
  report(`server, ${revision}, directly`, direct)
  const overStdio = `server ${revision} stdio`
  const stdio = await ofServer(bin, revision, [...wrap(overStdio), '--', ...SERVER], overStdio)
  report(`server, ${revision}, behind the wrap`, stdio, direct)
  const behind = await startFront(SERVER)
  const overHttp = `server ${revision} http`
  const http = await ofServer(bin, revision, [...wrap(overHttp), behind.url], overHttp)
  behind.stop()
  report(`server, ${revision}, behind the wrap over HTTP`, http, direct)
  const client = (way: string) =>
    checked(
      bin,
      [
        'client',
        '--command',
        `${process.execPath} ${file('./client.ts')} ${way} ${join(work, `client-${way}-${revision}`)}`,
        '--requirements',
        revision,
      ],
      `client ${way} ${revision}`,
    )
  const official = await client('direct')
  report(`client, ${revision}, directly`, official)
  report(`client, ${revision}, through the wrap`, await client('wrap'), official)
}
rmSync(work, { recursive: true, force: true })
