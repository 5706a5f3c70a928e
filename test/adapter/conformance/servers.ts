import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, listens, startPrivatePostgres } from '../../ledger/postgres/private-server.ts'

/** A server for tests, or the reason why there is none. */
export type TestServer = { url: string; stop(): Promise<void> } | { missing: string }

/** The Redis at `REDIS_URL`, else the local one, else a private one. */
export function testRedis(): Promise<TestServer> {
  return found('REDIS_URL', 'redis://127.0.0.1:6379', startPrivateRedis)
}

/** The PostgreSQL at `DATABASE_URL`, else the local one, else a private one. */
export function testPostgres(): Promise<TestServer> {
  return found('DATABASE_URL', 'postgres://root@127.0.0.1:5432/postgres', () =>
    startPrivatePostgres(['fsync=off']),
  )
}

type Started = { url: string; stop(): Promise<void> } | undefined

async function found(variable: string, usual: string, start: () => Promise<Started>): Promise<TestServer> {
  const given = process.env[variable]
  if (given !== undefined && given !== '')
    return (await answers(given)) ? running(given) : { missing: `${variable} does not answer` }
  if (await answers(usual)) return running(usual)
  return (
    (await start()) ?? { missing: `no server at ${usual}, none in ${variable}, and none could be started` }
  )
}

async function startPrivateRedis(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-redis-'))
  const port = await freePort()
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const child = spawn('redis-server', options, { stdio: 'ignore' })
  const isGone = new Promise<void>(resolve => child.on('exit', () => resolve()).on('error', () => resolve()))
  const stop = async () => {
    child.kill('SIGINT')
    await isGone
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 100 && child.pid !== undefined && child.exitCode === null; tries++) {
    if (await listens(port)) return { url: `redis://127.0.0.1:${port}`, stop }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  await stop()
  return undefined
}

function running(url: string): TestServer {
  return { url, stop: async () => {} }
}

function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return listens(Number(port || (url.startsWith('redis') ? 6379 : 5432)), hostname)
}
