import { dataFolder } from '../../../config/data-folder.ts'
import { present } from '../../../failure/present.ts'
import { redact } from '../../../failure/redact.ts'
import { runningProxy } from '../../../gateway/proxy/ask-proxy.ts'
import { nearest } from '../../../option/nearest.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { tableOf } from '../../print/table.ts'
import { ensureTrusted } from '../../runtime/ensure-trusted.ts'
import { loadToShow, RUNTIME_OPTIONS } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'
import { orUsage, ownWords } from '../mcp/clients.ts'
import { lineDiff } from '../mcp/line-diff.ts'
import { apply, type Change, changesFor } from './installation.ts'
import { INSTALLABLE, type Installable, piecesOf } from './pieces.ts'
import { type Installation, installations, readInstallation, recordFile, recordsFolder } from './record.ts'
import { type Removal, removals, remove } from './removal.ts'

export const usage = `Usage: mulligan install CLIENT [--continue] [--proxy] [--project] [--remove] [--dry-run | --yes]
       mulligan install --list

Puts Mulligan into an agent CLI: its queue as MCP tools, and hooks, a plugin or a skill where the CLI takes them. Shows every
change first. It touches no login and follows no link, and --remove restores each file byte for byte.

  CLIENT            one of ${Object.keys(INSTALLABLE).join(', ')}
  --continue        claude and qwen: a session that a usage limit stopped is continued when the limit lifts, by the daemon, once
                    its terminal is closed, unless you went on in it yourself
  --proxy           claude: point it at the running proxy (mulligan proxy, or [proxy] enabled in a daemon); for the others
                    "mulligan proxy env CLIENT" says what to set
  --project         for this project, which others share, instead of for the user
  --remove          remove it again
  --list            what each CLI gets, and where it is installed
  --yes             write without asking; without it, what would change is shown, and on a terminal you are asked
  --dry-run         only show what would change
  --data DIR        folder that remembers what was installed, instead of the user's state folder; no config sets it

Exit codes: 0 done, or shown without --yes; 1 failed, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  continue: { type: 'boolean' },
  proxy: { type: 'boolean' },
  project: { type: 'boolean' },
  remove: { type: 'boolean' },
  list: { type: 'boolean' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

/** Clients with a hook for a turn that failed. */
const CONTINUES = ['claude', 'qwen']

type Flags = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  return parseArguments(argv, { usage, options: OPTIONS })
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(argv)
  const folder = recordsFolder(values, terminal)
  const [name, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`install takes one CLIENT; unexpected ${JSON.stringify(rest[0])}`)
  if (values.list) {
    terminal.stdout(listOf(installations(folder)))
    return 0
  }
  const client = clientNamed(name)
  const project = values.project ? terminal.cwd : undefined
  const record = recordFile(folder, name as string, project)
  const known = readInstallation(record)
  if (known && (known.client !== name || known.project !== project))
    throw new UsageError(`${record} is the record of another installation; move it away`)
  if (values.remove) return takeAway(known, client, record, values, terminal)
  return orUsage(() => put(name as string, client, { known, project, record }, values, terminal))
}

function clientNamed(name: string | undefined): Installable {
  const names = Object.keys(INSTALLABLE)
  if (name === undefined) throw new UsageError(`name the CLIENT: ${names.join(', ')}`)
  const client = Object.hasOwn(INSTALLABLE, name) ? INSTALLABLE[name] : undefined
  if (client) return client
  const guess = nearest(name, names)
  throw new UsageError(
    `unknown client ${JSON.stringify(name)}; ${guess ? `did you mean ${guess}?` : `one of: ${names.join(', ')}`}`,
  )
}

async function put(
  name: string,
  { title }: Installable,
  {
    known,
    project,
    record,
  }: { known: Installation | undefined; project: string | undefined; record: string },
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const undo = `mulligan install ${name} --remove${project === undefined ? '' : ' --project'}`
  const isOff = ({ how }: Removal) => how === 'stuck' || how === 'gone' || how === 'untouched'
  if (known && removals(known, piecesOf(known, terminal.env)).some(isOff))
    throw new UsageError(`what was installed has been changed since; remove it first: ${undo}`)
  const words = ownWords(terminal)
  const continues = flags.continue ?? false
  if (continues && !CONTINUES.includes(name))
    throw new UsageError(
      `--continue: ${title} has no hook for a failed turn; ${CONTINUES.join(' and ')} have`,
    )
  const more = {
    ...(continues ? { continues } : {}),
    ...(flags.proxy ? { proxy: await proxyFor(name, project, flags, terminal) } : {}),
  }
  const pieces = piecesOf({ client: name, project, words, ...more }, terminal.env)
  const changes = changesFor(pieces, project, known !== undefined)
  if (changes.length === 0) {
    terminal.stdout(`Nothing to do: Mulligan is installed in ${title}.\n`)
    return 0
  }
  if (known) throw new UsageError(`another version is installed; remove it first: ${undo}`)
  showChanges(changes, terminal)
  if (!(await isAgreed(flags, terminal))) return 0
  apply(
    changes,
    {
      client: name,
      words,
      ...present({ project }),
      ...more,
    },
    record,
  )
  terminal.stdout(`Installed in ${title}. Restart it; to undo: ${undo}\n`)
  return 0
}

/** Where the proxy is that runs now: a client that is pointed at nothing could ask nobody. */
async function proxyFor(
  name: string,
  project: string | undefined,
  flags: Flags,
  terminal: Terminal,
): Promise<string> {
  if (name !== 'claude')
    throw new UsageError(`--proxy is for claude; "mulligan proxy env ${name}" says what to set`)
  if (project !== undefined)
    throw new UsageError('--proxy is for the user: the others of a project have another proxy, or none')
  // Claude Code sends its credentials there.
  const loaded = await ensureTrusted(loadToShow(flags, terminal), terminal)
  if (loaded.config.providers.some(({ api, credential }) => api !== undefined && credential))
    throw new UsageError(
      '--proxy: this proxy adds keys, so it needs a token, which is not written to files of others; see mulligan proxy env claude',
    )
  const folder = dataFolder(loaded, terminal)
  const running = await runningProxy(folder, terminal.signal)
  if (running) return running.url
  throw new UsageError(`--proxy: no proxy runs for ${folder}; start one: mulligan proxy`)
}

function showChanges(changes: readonly Change[], terminal: Terminal): void {
  for (const { file, text } of changes)
    terminal.stdout(`${file.file}${file.isThere ? '' : ' (new)'}\n${redact(lineDiff(file.text, text))}\n`)
}

async function takeAway(
  known: Installation | undefined,
  { title }: Installable,
  record: string,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  if (!known) {
    terminal.stdout(`Nothing to do: Mulligan is not installed in ${title}.\n`)
    return 0
  }
  const pieces = piecesOf(known, terminal.env)
  const planned = removals(known, pieces)
  for (const removal of planned) terminal.stdout(removalInWords(removal))
  if (!(await isAgreed(flags, terminal))) return 0
  remove(planned, known, pieces, record)
  const isStuck = planned.some(({ how }) => how === 'stuck')
  terminal.stdout(
    isStuck
      ? `Partly removed from ${title}: once the rest is gone by hand, run this again.\n`
      : `Removed from ${title}.\n`,
  )
  return isStuck ? 1 : 0
}

function removalInWords(removal: Removal): string {
  switch (removal.how) {
    case 'gone':
      return `${removal.file}: is gone already\n`
    case 'untouched':
      return `${removal.file}: has nothing of Mulligan\n`
    case 'stuck':
      return `${removal.file}: was changed where Mulligan had written; remove that by hand\n`
    case 'delete':
      return `${removal.file.file}: is deleted\n`
    case 'change':
      return `${removal.file.file}\n${redact(lineDiff(removal.file.text, removal.text))}\n`
  }
}

async function isAgreed(
  { yes = false, 'dry-run': dryRun = false }: Flags,
  terminal: Terminal,
): Promise<boolean> {
  const agreed =
    !dryRun && (yes || (terminal.ask && /^y(es)?$/i.test((await terminal.ask('Write this? [y/N] ')).trim())))
  if (!agreed) terminal.stdout('Nothing changed yet; to apply: --yes\n')
  return agreed === true
}

/** What each client gets, and where Mulligan is installed. */
function listOf(installed: readonly Installation[]): string {
  const rows = Object.entries(INSTALLABLE).map(([name, { parts }]) => {
    const here = installed.filter(({ client }) => client === name)
    const where = here.map(({ project }) => project ?? 'for the user').join(', ')
    return [name, where === '' ? 'not installed' : `installed ${where}`, parts.join('; ')]
  })
  return `${tableOf(rows, 'words')}\n`
}
