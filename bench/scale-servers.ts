import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startPrivatePostgres } from '../test/ledger/postgres/private-server.ts'

// Servers of their own, so that nothing else is measured, with one durability: what was answered is on the disk.

export interface ScaleServers {
  postgres: string
  redis: string
  stop(): Promise<void>
}

export async function startServers(folder: string): Promise<ScaleServers> {
  const server = await startPrivatePostgres([
    'max_connections=200',
    'shared_buffers=256MB',
    'max_wal_size=4GB',
    ...(process.env.PROFILE
      ? ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track_planning=on']
      : []),
  ])
  if (!server) throw new Error('the programs of a PostgreSQL server are not installed')
  const redis = await startRedis(join(folder, 'redis'))
  return {
    postgres: server.url,
    redis: redis.url,
    stop: async () => {
      redis.stop()
      await server.stop()
    },
  }
}

async function startRedis(folder: string): Promise<{ url: string; stop: () => void }> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder]
  const server = spawn('redis-server', [...place, '--appendonly', 'yes', '--appendfsync', 'always'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(server.stdout, 'data')
  server.stdout.resume()
  return { url: `redis://127.0.0.1:${port}`, stop: () => void server.kill('SIGKILL') }
}
