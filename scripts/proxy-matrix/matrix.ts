import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { quietly } from '../../src/time/clean-up.ts'
import { installClis, PACKAGES } from '../lab-matrix/install.ts'
import { startCountingProxy } from './proxy.ts'
import { CLIENTS, type Client, runClient } from './run-cli.ts'
import { holdScene, SCENES, type Scene } from './scenes.ts'
import { startVendor } from './vendor.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const keptIn = join(root, '.cache', 'proxy-matrix')
/** How long a run may take besides its outage. */
const PATIENCE_MS = 180_000

const USAGE = `Usage: node --conditions=mulligan-source scripts/proxy-matrix/matrix.ts [--cli NAME]… [--scene TEXT] [--hold SECONDS] [--jobs N]

Runs real agent CLIs against the lab, alone and through the proxy, each with its own defaults.
  --cli NAME      only this one of ${CLIENTS.join(', ')}; may be repeated
  --scene TEXT    only scenes whose name contains this
  --hold SECONDS  instead: one limit of this length, through the proxy only
  --jobs N        parallel runs; default 2`

/** How one client ended in one scene. */
export interface MatrixEnd {
  scene: string
  client: Client
  through: 'alone' | 'proxy'
  isAnswered: boolean
  isTimedOut: boolean
  exitCode: number | null
  ms: number
  /** The client's. */
  version: string
  /** Model calls that the vendor saw. */
  calls: number
  /** Questions that the client asked the proxy. */
  asked?: number
}

async function endOf(
  scene: Scene,
  client: Client,
  through: MatrixEnd['through'],
  bin: string,
): Promise<MatrixEnd> {
  const vendor = await startVendor(scene)
  const outageMs = typeof scene.lasts === 'number' ? scene.lasts : 0
  const proxy = through === 'proxy' ? await startCountingProxy(vendor.lab.url, outageMs + 600_000) : undefined
  try {
    const end = await runClient(client, bin, proxy?.url ?? vendor.lab.url, outageMs + PATIENCE_MS)
    const { isAnswered, isTimedOut, exitCode, ms, printed } = end
    const calls = vendor.calls()
    const { version } = PACKAGES[client]
    const row: MatrixEnd = {
      scene: scene.name,
      client,
      version,
      through,
      isAnswered,
      isTimedOut,
      exitCode,
      ms,
      calls,
    }
    if (proxy) row.asked = proxy.asked()
    mkdirSync(keptIn, { recursive: true, mode: 0o700 })
    const file = join(keptIn, `${scene.name}-${client}-${through}`.replace(/[^\w-]+/g, '_'))
    writeFileSync(`${file}.json`, JSON.stringify(row), { mode: 0o600 })
    writeFileSync(
      `${file}.txt`,
      `${printed}\n--- requests\n${vendor.lab.requests.map(r => `${new Date(r.at).toISOString()} ${r.method} ${r.path} ${r.fault ?? '-'} ${r.status ?? '-'} ${r.sent ?? '-'}`).join('\n')}\n`,
      { mode: 0o600 },
    )
    process.stdout.write(
      `${isAnswered ? 'answered' : isTimedOut ? 'HANGS   ' : 'failed  '} ${scene.name.padEnd(34)} ${client.padEnd(9)} ${through.padEnd(6)} ${(ms / 1_000).toFixed(1).padStart(6)} s  ${calls} calls${proxy ? `, ${proxy.asked()} asked` : ''}, exit ${exitCode}\n`,
    )
    return row
  } finally {
    await quietly(() => proxy?.stop())
    await quietly(() => vendor.close())
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cli: { type: 'string', multiple: true },
      scene: { type: 'string' },
      through: { type: 'string' },
      hold: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const clients = CLIENTS.filter(name => values.cli?.includes(name) ?? true)
  const bin = await installClis(
    join(root, '.cache', 'lab-clis'),
    line => process.stderr.write(`${line}\n`),
    CLIENTS,
  )
  const scenes =
    values.hold === undefined
      ? SCENES.filter(({ name }) => values.scene === undefined || name.includes(values.scene))
      : [holdScene(Number(values.hold))]
  const ways = (['proxy', 'alone'] as const).filter(way =>
    values.hold === undefined ? (values.through ?? way) === way : way === 'proxy',
  )
  const runs = scenes.flatMap(scene =>
    clients.flatMap(client => ways.map(through => ({ scene, client, through }))),
  )
  let next = 0
  const worker = async () => {
    for (let at = next++; at < runs.length; at = next++) {
      const { scene, client, through } = runs[at] as (typeof runs)[number]
      await endOf(scene, client, through, bin)
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  return 0
}

process.exitCode = await main()
