import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A private PostgreSQL server in its own folder. */
export interface PrivatePostgres {
  /** Its address, with a superuser role. */
  url: string
  /** Stops it abruptly, like a power cut, and starts it again. */
  restart(downMs?: number): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** Where Linux distributions install the server programs. */
const PROGRAMS = '/usr/lib/postgresql'
const READY_MS = 30_000

/** Starts one from the programs on this machine; undefined if there are none. */
export async function startPrivatePostgres(
  settings: readonly string[] = [],
): Promise<PrivatePostgres | undefined> {
  const programs = programFolder()
  if (programs === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-postgres-'))
  const owner = ownerOf(folder)
  const data = join(folder, 'data')
  const port = await freePort()
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'],
    { ...owner, stdio: 'ignore' },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const start = async () => {
    const options = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder]
    const child = spawn(join(programs, 'postgres'), [...options, ...settings.flatMap(each => ['-c', each])], {
      ...owner,
      stdio: 'ignore',
    })
    const ended = new Promise<void>(
      resolve => void child.on('exit', () => resolve()).on('error', () => resolve()),
    )
    await untilAnswers(programs, port)
    return { child, ended }
  }
  let server = await start()
  // At once, without writing its memory to disk first: it is either meant to crash, or its folder is removed.
  const end = async () => {
    server.child.kill('SIGQUIT')
    await server.ended
  }
  return {
    url,
    restart: async (downMs = 0) => {
      await end()
      await wait(downMs)
      server = await start()
    },
    stop: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether one can be started here; on a build server it must be possible. */
export const hasPostgresPrograms = programFolder() !== undefined || process.env.CI === 'true'

/** Whether anything listens on the port. */
export function listens(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ host, port })
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(1_000, () => end(false))
    socket.on('connect', () => end(true)).on('error', () => end(false))
  })
}

async function untilAnswers(programs: string, port: number): Promise<void> {
  const end = performance.now() + READY_MS
  while (performance.now() < end) {
    try {
      execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
      return
    } catch {
      await wait(50)
    }
  }
  throw new Error(`the private PostgreSQL on port ${port} does not answer`)
}

function programFolder(): string | undefined {
  if (!existsSync(PROGRAMS)) return undefined
  const versions = readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a))
  return versions.map(version => join(PROGRAMS, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
}

/** A free port. */
export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** PostgreSQL refuses to run as root. */
function ownerOf(folder: string): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const nobody = { uid: 65_534, gid: 65_534 }
  chownSync(folder, nobody.uid, nobody.gid)
  return nobody
}
