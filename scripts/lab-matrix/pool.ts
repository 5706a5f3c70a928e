import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FaultName } from '../../lab/fault/table.ts'
import { startLab } from '../../lab/start.ts'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { CLIS } from './cli.ts'
import type { CliName } from './install.ts'

/** How the first CLI of a pool is refused; without a fault, its connections are refused. */
export const REFUSALS: readonly { name: string; fault?: FaultName }[] = [
  { name: 'expired login', fault: 'auth' },
  { name: 'plan limit', fault: 'usage_limit' },
  { name: '402', fault: 'payment_required' },
  { name: '500', fault: 'server_error' },
  { name: 'connection refused' },
  { name: 'cut in mid-answer', fault: 'cut_stream' },
]

/** The result of a pool whose first CLI is refused at its first request and whose second is healthy. */
export interface PoolOutcome {
  first: CliName
  second: CliName
  refusal: string
  /** The CLI that answered; null if none did. */
  answeredBy: string | null
  /** Class and kind of the first CLI's failure. */
  failure: string
  effect: string
  /** The verdict on it. */
  verdict: string
  durationMs: number
  /** Everything the command printed, to investigate a pool that did not answer. */
  printed: string
}

const mulligan = fileURLToPath(new URL('../../bin/mulligan.js', import.meta.url))
/** Longer than three runs of a CLI with long retries of its own: Qwen Code silently retries a 500 for 95 s. */
const LONGEST_MS = 900_000

/** Runs `mulligan run --pool first,second` without further flags. */
export async function runPool(
  first: CliName,
  { name, fault }: (typeof REFUSALS)[number],
  bin: string,
): Promise<PoolOutcome> {
  // Any CLI would do; this one starts fast.
  const second = first === 'claude' ? 'codex' : 'claude'
  const failing = await startLab({ slowMs: 100, ...(fault === undefined ? {} : { script: fault }) })
  const healthy = await startLab({ slowMs: 100 })
  if (fault === undefined) await failing.close()
  const home = mkdtempSync(join(tmpdir(), `mulligan-pool-${first}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  // codex works only in a repository.
  await run({ argv: ['git', 'init', '--quiet', cwd] })
  const config = join(home, 'mulligan.toml')
  writeFileSync(
    config,
    [providerOf(first, bin, home, failing.url), providerOf(second, bin, home, healthy.url)].join('\n'),
  )
  try {
    const { stdout, stderr, durationMs } = await timed(
      [
        process.execPath,
        mulligan,
        'run',
        '--config',
        config,
        '--pool',
        `${first},${second}`,
        '--json',
        '--',
        'Say hi.',
      ],
      { PATH: process.env.PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8' },
      cwd,
    )
    return {
      first,
      second,
      refusal: name,
      ...readOutcome(stdout),
      durationMs,
      printed: `${stdout}\n${stderr}`,
    }
  } finally {
    await quietly(() => Promise.all([failing.close(), healthy.close()]))
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}

export function providerOf(cli: CliName, bin: string, home: string, url: string): string {
  const { env, model } = CLIS[cli](home, url, false)
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [
    '[[provider]]',
    `id = "${cli}"`,
    `cli = "${cli}"`,
    `command = ${JSON.stringify(join(bin, cli))}`,
    `models = [{ id = ${JSON.stringify(model)} }]`,
    `env = { ${variables.join(', ')} }`,
    '',
  ].join('\n')
}

async function timed(argv: [string, ...string[]], env: Record<string, string | undefined>, cwd: string) {
  const startedAt = performance.now()
  const result = await run({ argv, env, cwd, timeoutMs: LONGEST_MS })
  return { ...result, durationMs: performance.now() - startedAt }
}

interface Printed {
  ok?: boolean
  provider?: string
  attempts?: {
    failure?: { class: string; kind: string; effect: string }
    verdict?: { action: string; mode?: string }
  }[]
}

/** Reads the output of `run --json`: the CLI that answered, and the result of the first try. */
export function readOutcome(
  stdout: string,
): Pick<PoolOutcome, 'answeredBy' | 'failure' | 'effect' | 'verdict'> {
  let printed: Printed
  try {
    printed = JSON.parse(stdout) as Printed
  } catch {
    printed = {}
  }
  const { failure, verdict } = printed.attempts?.[0] ?? {}
  return {
    answeredBy: printed.ok === true ? (printed.provider ?? null) : null,
    failure: failure ? `${failure.class}/${failure.kind}` : '–',
    effect: failure?.effect ?? '–',
    verdict: verdict?.action ?? '–',
  }
}
