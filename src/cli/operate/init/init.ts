import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_CLIS } from '../../../config/agent-clis.ts'
import { discoverConfig } from '../../../config/discover.ts'
import { loadConfig } from '../../../config/load.ts'
import { TrustRecord } from '../../../config/trust-record.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { FileError } from '../../flag/file.ts'
import { printJson } from '../../print/print-json.ts'
import type { Terminal } from '../../terminal.ts'
import { ownWords } from '../mcp/clients.ts'
import { type Found, lookAround } from './found.ts'
import { starterConfig } from './starter-config.ts'

const OPTIONS = { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } } as const

export const usage = `Usage: mulligan init [--dry-run] [--json]

Looks for agent CLIs on the PATH, API keys in the environment, MCP clients and the dependencies of package.json, writes a
commented mulligan.toml into this folder, trusts it, and says what to try next. Never replaces a file.

  --dry-run         print the file instead of writing it
  --json            JSON on stdout

Exit codes: 0 done, 2 wrong usage, or there is a mulligan.toml already.`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(`init takes no ${JSON.stringify(positionals[0])}; it writes into this folder`)
  const file = join(terminal.cwd, 'mulligan.toml')
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new UsageError(`${file} exists already; to check it: mulligan config check`)
  const found = lookAround(terminal)
  const text = starterConfig(found)
  const { env, cwd } = terminal
  const hidden = discoverConfig({ env: { ...env, MULLIGAN_CONFIG: undefined }, cwd })
  const isWritten = !values['dry-run']
  if (isWritten) write(file, text, terminal)
  if (values.json) {
    const { agents, keys, clients, packages } = found
    printJson(terminal, {
      file,
      written: isWritten,
      text,
      found: { agents, keys: keys.map(({ variable }) => variable), clients, packages },
      next: nextSteps(found, terminal),
    })
    return 0
  }
  if (!isWritten) {
    terminal.stdout(text)
    return 0
  }
  const instead = hidden === undefined ? '' : ` In this folder it takes the place of ${hidden}.`
  terminal.stdout(
    `${foundInWords(found)}\nWrote ${file}.${instead}\n\nNext:\n${nextSteps(found, terminal)
      .map(step => `  ${step}\n`)
      .join('')}`,
  )
  return 0
}

/** Writes the file and trusts it, because its user has just asked for it. */
function write(file: string, text: string, { env, cwd, now }: Terminal): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new FileError(
      `cannot write ${file}: ${(error as NodeJS.ErrnoException).code}; choose a folder that you may write to`,
    )
  }
  new TrustRecord(env).add(file, loadConfig({ flag: file, env, cwd }).hash as string, now())
}

function foundInWords({ agents, keys, clients, packages }: Found): string {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['agent CLIs', agents],
    ['keys', keys.map(({ variable }) => variable)],
    ['MCP clients', clients],
    ['packages', packages.map(({ name }) => name)],
  ]
  return rows.map(([what, names]) => `${what.padEnd(12)} ${names.join(', ') || 'none found'}\n`).join('')
}

/** Commands and pages to go on with, the most useful first. */
function nextSteps({ agents, clients, packages }: Found, terminal: Terminal): string[] {
  const mulligan = ownWords(terminal)[0] === 'mulligan' ? 'mulligan' : 'npx mulligan'
  const guides = [...new Set(packages.map(({ guide }) => guide))]
  return [
    agents.length > 0 ? `${mulligan} run --pool coding -- "say hello"` : `${mulligan} tour`,
    ...(agents.length > 0 ? [`${mulligan} doctor`] : []),
    ...agents.slice(0, 1).map(cli => `${mulligan} install ${cli}`),
    ...clients
      .filter(client => !(AGENT_CLIS as readonly string[]).includes(client))
      .map(client => `${mulligan} mcp add ${client}`),
    ...guides.map(
      guide => `read ${guide} in the package mulligan: one line for ${namesFor(guide, packages)}`,
    ),
  ]
}

function namesFor(page: string, packages: Found['packages']): string {
  return packages
    .filter(({ guide }) => guide === page)
    .map(({ name }) => name)
    .join(', ')
}
