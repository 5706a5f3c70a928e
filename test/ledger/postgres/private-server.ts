import { execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** A private PostgreSQL server in its own folder. */
export interface PrivatePostgres {
  /** Its address, with a superuser role. */
  url: string
  /** Stops it abruptly, like a power cut, and starts it again. */
  restart(downMs?: number): Promise<void>
  /** Starts a second server that follows this one. From then on, a synchronous one must have each commit first. */
  standby(kind: 'synchronous' | 'asynchronous'): Promise<PrivateStandby>
  /** Stops it abruptly and removes its folder. */
  stop(): Promise<void>
}

/** A server that follows another. */
export interface PrivateStandby extends PrivatePostgres {
  /** Cuts it off from the server that it follows. */
  detach(): Promise<void>
  /** Makes it a server of its own. */
  promote(): Promise<void>
}

/** Where Linux distributions install the server programs. */
const PROGRAMS = '/usr/lib/postgresql'
const READY_MS = 30_000
const run = promisify(execFile)

/** Starts one from the programs on this machine; undefined if there are none. */
export async function startPrivatePostgres(
  settings: readonly string[] = [],
): Promise<PrivatePostgres | undefined> {
  const programs = programFolder()
  if (programs === undefined) return undefined
  const place = newPlace()
  execFileSync(
    join(programs, 'initdb'),
    ['-D', place.data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'],
    { ...place.owner, stdio: 'ignore' },
  )
  return startIn(place, programs, settings)
}

interface Place {
  folder: string
  data: string
  owner: ReturnType<typeof ownerOf>
}

function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-postgres-'))
  return { folder, data: join(folder, 'data'), owner: ownerOf(folder) }
}

async function startIn(
  { folder, data, owner }: Place,
  programs: string,
  settings: readonly string[],
): Promise<PrivatePostgres> {
  const port = await freePort()
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
    standby: async kind => {
      const copy = newPlace()
      const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres']
      const how = ['--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream', '--no-sync']
      await run(join(programs, 'pg_basebackup'), ['-D', copy.data, ...from, ...how], copy.owner)
      const standby = await startIn(copy, programs, settings)
      await untilFollowed(url, kind)
      return {
        ...standby,
        detach: () => untilDetached(standby.url),
        promote: async () => {
          await run(join(programs, 'pg_ctl'), ['promote', '-D', copy.data], copy.owner)
        },
      }
    },
    stop: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until a standby follows. */
function untilFollowed(url: string, kind: 'synchronous' | 'asynchronous'): Promise<void> {
  const isSynchronous = kind === 'synchronous'
  return untilSet(
    url,
    `synchronous_standby_names = '${isSynchronous ? '*' : ''}'`,
    `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND (sync_state = 'sync') = ${isSynchronous}`,
  )
}

/** Waits until a standby follows no more. */
function untilDetached(url: string): Promise<void> {
  const gone = 'SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_wal_receiver)'
  return untilSet(url, `primary_conninfo = ''`, gone)
}

/** Changes a setting of a running server, and waits until a query has rows. */
async function untilSet(url: string, setting: string, query: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`ALTER SYSTEM SET ${setting}`)
    await client.query('SELECT pg_reload_conf()')
    const end = performance.now() + READY_MS
    while (performance.now() < end) {
      if ((await client.query(query)).rowCount !== 0) return
      await wait(50)
    }
    throw new Error(`${setting} has no effect`)
  } finally {
    await client.end()
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
