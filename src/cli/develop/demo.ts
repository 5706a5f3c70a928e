import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startLab } from '../../../lab/start.ts'
import { readAddress } from '../../gateway/http/address-file.ts'
import { tokenOf } from '../../gateway/http/token-files.ts'
import { quietly } from '../../time/clean-up.ts'
import { realTime, sleep } from '../../time/time.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { integerFlag } from '../flag/flags.ts'
import { run as serve } from '../operate/serve.ts'
import type { Terminal } from '../terminal.ts'
import { LAB_VARIABLE } from './demo-capabilities.ts'
import { demoConfig } from './demo-config.ts'
import { type Answer, play, type Start, type Submit } from './demo-play.ts'

export const usage = `Usage: mulligan demo [--http-port N]

Shows the dashboard with something to see: a daemon with a ledger of its own, three providers that the lab plays, and work
that meets limits, overload and an unknown failure. Nothing is sent anywhere, and all of it is gone when you stop
it with Ctrl-C.

  --http-port N     port of the dashboard; default 4517, or a free one if that is taken
  --log-level L     of the daemon: debug, info, warn, error; default error

Exit codes: 0 stopped, 1 it could not be started, 2 wrong usage.`

const OPTIONS = { 'http-port': { type: 'string' }, 'log-level': { type: 'string' } } as const

/** The module with the capabilities: the source in a clone, the build in the package. */
const CAPABILITIES = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? 'demo-capabilities.ts' : '../../dist/cli/demo-capabilities.js',
    import.meta.url,
  ),
)

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`demo takes no ${JSON.stringify(positionals[0])}`)
  const port = integerFlag('--http-port', values['http-port'], 0, 65_535)
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-demo-'))
  const config = join(folder, 'mulligan.toml')
  writeFileSync(config, demoConfig(CAPABILITIES))
  const lab = await startLab()
  try {
    const { signal } = terminal
    // The daemon must not end the process: the demo's folder must be removed first.
    const own = Object.assign(Object.create(terminal) as Terminal, {
      env: { ...terminal.env, [LAB_VARIABLE]: lab.url },
      exit: undefined,
      stderrIsTerminal: false,
    })
    const served = serve(
      [
        ...['--config', config, '--data', folder, '--grace', '1s'],
        ...['--log-level', values['log-level'] ?? 'error'],
        ...(port === undefined ? [] : ['--http-port', String(port)]),
      ],
      own as Terminal,
    )
    await Promise.race([served, show({ folder, lab, terminal, signal })])
    return await served
  } finally {
    await quietly(() => lab.close())
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}

interface Showing {
  folder: string
  lab: Awaited<ReturnType<typeof startLab>>
  terminal: Terminal
  signal: AbortSignal
}

/** Prints the address, and plays until the signal. */
async function show({ folder, lab, terminal, signal }: Showing): Promise<void> {
  let found = readAddress(folder)
  for (; !found && !signal.aborted; found = readAddress(folder))
    await sleep(realTime, 50, signal).catch(() => {})
  if (!found) return
  const { url } = found
  const headers = { authorization: `Bearer ${tokenOf(folder, 'full')}`, 'content-type': 'application/json' }
  const post = async (path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const { code } = await post('/v1/sign_in_codes')
  terminal.stdout(`Open within a minute: ${url}/sign-in#${code}
For another code:     mulligan http code --data ${folder}
The vendors:          ${lab.url}/_lab
Ctrl-C stops it, and removes everything.
`)
  const submit: Submit = async operation => void (await post('/v1/operations', operation))
  const start: Start = async (workflow, params) =>
    (await post(`/v1/workflows/${workflow}/runs`, { params })).id as string
  const answer: Answer = async (run, step, result) => {
    const response = await fetch(`${url}/v1/workflow_runs/${run}`, { headers, signal })
    const found = (await response.json()) as { state: string; steps: { id: string; state: string }[] }
    if (found.state !== 'running') return false
    const asks = found.steps.find(({ id }) => id === step)?.state === 'waiting'
    if (asks) await post(`/v1/workflow_runs/${run}/steps/${step}/advance`, { result })
    return !asks
  }
  await play({ lab, submit, start, answer, time: realTime, random: Math.random }, signal).catch(error => {
    if (!signal.aborted) throw error
  })
}
