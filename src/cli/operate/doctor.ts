import { existsSync } from 'node:fs'
import { type Checkup, examine } from '../../agent/doctor.ts'
import type { AgentSettings } from '../../agent/settings.ts'
import { missingKeys } from '../../config/missing-keys.ts'
import { LEAST_FREE_BYTES } from '../../daemon/checkup/disk.ts'
import { sizeInWords } from '../../daemon/words/size-words.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { printJson } from '../print/print-json.ts'
import { tableOf } from '../print/table.ts'
import { checkupToJson } from '../run/agent-json.ts'
import { choose, configuredAgents } from '../runtime/agents.ts'
import {
  databaseOf,
  ledgerFileFor,
  loadFor,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeFlags,
  type RuntimeOptions,
  withActingRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { checkDaemon } from './doctor-daemon.ts'
import { deadBaseUrls } from './install/base-url.ts'
import { foundIn, foundInWords } from './install/check.ts'
import { recordsFolder } from './install/record.ts'

const OPTIONS = {
  provider: { type: 'string' },
  pool: { type: 'string' },
  daemon: { type: 'boolean' },
  ...RUNTIME_OPTIONS,
  json: { type: 'boolean' },
} as const

export const usage = `Usage: mulligan doctor [--provider P | --pool P | --daemon] [--json]

Checks each agent at no cost: is the program installed, is its version supported, is it logged in? Prints the command
that fixes each problem. Also names providers whose API key is missing, says where Mulligan is installed and what points to
an installation that is gone, and unblocks a provider whose login was refused before and works now.

With --daemon, checks instead what the daemon needs: that it runs and answers, its lock, the ledger's lock, the clock, that
the disk has ${sizeInWords(LEAST_FREE_BYTES)} free, and that each surface answers. No message is sent and nothing is changed.

  --provider P      check only this agent
  --pool P          check a pool of the config, or a list such as claude,codex
  --daemon          check the daemon, its data folder and the surfaces
${RUNTIME_USAGE}
  --json            JSON on stdout

Exit codes: 0 all named or configured agents are usable and have their keys (without any: at least one installed agent is),
1 not usable, 2 wrong usage. With --daemon: 0 no trouble, 1 trouble, 2 wrong usage.`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(`doctor takes no ${JSON.stringify(positionals[0])}; use --provider to name an agent`)
  if (values.daemon) {
    if (values.provider !== undefined || values.pool !== undefined)
      throw new UsageError('--daemon checks no agent; leave out --provider and --pool')
    return checkDaemon(values, terminal)
  }
  const agents = await configuredAgents(values.config, terminal)
  const isNamed = values.provider !== undefined || values.pool !== undefined
  const { providers: configured } = loadFor(values, terminal).config
  const keyless = isNamed ? [] : missingKeys(configured, terminal)
  const needed: readonly AgentSettings[] = isNamed
    ? choose(agents, values, terminal).agents
    : agents.configured
  // Who calls models only needs no agent.
  const callsModels = !isNamed && needed.length === 0 && configured.some(({ api }) => api !== undefined)
  const examined = needed.length > 0 || callsModels ? needed : agents.builtIn
  const { env, cwd, signal } = terminal
  const checkups = await Promise.all(examined.map(agent => examine(agent, { env, cwd, signal })))
  const areUsable =
    needed.length > 0 || callsModels
      ? checkups.every(({ usable }) => usable)
      : checkups.some(({ usable }) => usable)
  const isWell = areUsable && keyless.length === 0
  const freed = await endLoginBlocks(checkups, values, terminal)
  const installed = [...foundIn(recordsFolder(values, terminal), terminal), ...(await deadBaseUrls(terminal))]
  const isFreed = ({ provider }: Checkup) => freed.includes(provider)
  if (values.json) {
    const providers = checkups.map(checkup => ({
      ...checkupToJson(checkup),
      ...(isFreed(checkup) ? { login_block_ended: true } : {}),
    }))
    printJson(terminal, { ok: isWell, providers, missing_keys: keyless, installed })
  } else {
    const unblocked = freed.map(id => `  ${id}: logged in again, so it is no longer blocked\n`)
    const within = installed.length > 0 ? `\nInstalled in:\n${foundInWords(installed)}` : ''
    const keys = callsModels && keyless.length === 0 ? ['every provider has its key'] : keyless
    const found = checkups.length > 0 ? inWords(checkups) : ''
    const ofKeys = keys.length > 0 ? `${found && '\n'}${keys.map(line => `  ${line}\n`).join('')}` : ''
    terminal.stdout(`${found}${ofKeys}${unblocked.length > 0 ? `\n${unblocked.join('')}` : ''}${within}`)
  }
  return isWell ? 0 : 1
}

/** Whether a ledger that may hold blocks exists. */
function hasState(flags: RuntimeFlags, terminal: Terminal): boolean {
  const loaded = loadFor(flags, terminal)
  return databaseOf(loaded, terminal) !== undefined || existsSync(ledgerFileFor(loaded, terminal))
}

/** Unblocks providers whose login was refused and works now. An unsure login unblocks nothing. */
async function endLoginBlocks(
  checkups: readonly Checkup[],
  flags: RuntimeFlags,
  terminal: Terminal,
): Promise<string[]> {
  const loggedIn = checkups.filter(({ usable, login }) => usable && login?.state === 'present')
  if (loggedIn.length === 0 || !hasState(flags, terminal)) return []
  const open: RuntimeOptions = {
    absent: 'keep_out',
    onNoState: problem => terminal.stderr(`mulligan doctor: cannot unblock logins: ${problem}\n`),
  }
  return withActingRuntime(flags, terminal, open, async ({ health }) => {
    const freed: string[] = []
    for (const { provider } of loggedIn) if (await health.loggedIn(provider)) freed.push(provider)
    return freed
  })
}

function inWords(checkups: readonly Checkup[]): string {
  const rows = checkups.map(({ provider, usable, version, login }) => [
    provider,
    usable ? 'ok' : 'not usable',
    version ?? '–',
    login === undefined ? '–' : loginInWords(login),
  ])
  const fixes = checkups.flatMap(({ provider, complaints }) =>
    complaints.map(({ message, fix }) => `  ${provider}: ${message}; fix: ${fix}`),
  )
  const open = checkups.flatMap(({ provider, usable, notChecked = [] }) =>
    usable ? [`  ${provider}: not checked: ${notChecked.join('; ')}`] : [],
  )
  const parts = [fixes, open].filter(lines => lines.length > 0).map(lines => `\n${lines.join('\n')}\n`)
  return `${tableOf(rows)}\n${parts.join('')}`
}

function loginInWords(login: NonNullable<Checkup['login']>): string {
  switch (login.state) {
    case 'present':
      return login.isTold ? `logged in, says ${login.by}` : `login by ${login.by}`
    case 'missing':
      return 'no login'
    case 'unsure':
      return 'login unsure'
  }
}
