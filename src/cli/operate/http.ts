import { join } from 'node:path'
import { readAddress } from '../../gateway/http/address-file.ts'
import { httpSettingsOf } from '../../gateway/http/settings.ts'
import { TOKEN_FILES, tokenOf } from '../../gateway/http/token-files.ts'
import { isRunning } from '../../process/is-running.ts'
import { EXIT } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { ensureOwnFolder } from '../runtime/ensure-trusted.ts'
import { loadToShow, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { askDaemon } from './ask-daemon.ts'
import { teamToken } from './http-token.ts'

export const usage = `Usage: mulligan http token|url|code [new|revoke|ls] [NAME] [OPTIONS]

Gives access to the daemon's HTTP API ("mulligan serve").

  token             print the path of the token file, creating it if missing; to use it:
                    curl -H "Authorization: Bearer $(cat "$(mulligan http token)")" "$(mulligan http url)/v1/status"
  token new NAME    make a token for a person or a program, and print it once
  token revoke NAME end it, and the browser sessions that it started; no restart is needed
  token ls          list these tokens with scope, end and last use
  url               print the address of the daemon
  code              print a code that signs in one browser within a minute

  --scope SCOPE     with token new: read, submit (also start work), operate (also change what is there) or admin; default read
  --expires TIME    with token new: how long it is valid, such as 30d; default 90d; "never" for no end
  --read-only       with token: the file of the read-only token; with code: the browser may only read
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 no daemon is listening, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  'read-only': { type: 'boolean' },
  scope: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Asked {
  folder: string
  isReadOnly: boolean
  /** The daemon's certificate, if it uses TLS. */
  cert: () => string | undefined
  print: (text: string, json: Record<string, unknown>) => void
}

const SUBCOMMANDS = { token, url, code }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  const subcommand = subcommandOf<(asked: Asked) => Promise<number> | number>('http', name, SUBCOMMANDS)
  const isReadOnly = values['read-only'] === true
  if (isReadOnly && subcommand === url) throw new UsageError('--read-only goes with http token and http code')
  const print = (text: string, json: Record<string, unknown>) =>
    terminal.stdout(values.json ? `${JSON.stringify(json)}\n` : `${text}\n`)
  const loaded = loadToShow(values, terminal)
  const folder = await ensureOwnFolder(loaded, terminal)
  if (subcommand === token && rest.length > 0) {
    if (isReadOnly) throw new UsageError('--read-only goes with http token alone; give --scope read')
    return teamToken(
      rest,
      { scope: values.scope, expires: values.expires },
      { folder, loaded, terminal, print },
    )
  }
  if (values.scope !== undefined || values.expires !== undefined)
    throw new UsageError('--scope and --expires go with http token new')
  if (rest.length > 0) throw new UsageError(`http ${name} takes no ${JSON.stringify(rest[0])}`)
  const cert = () => httpSettingsOf(loaded, terminal)?.tls?.cert
  return subcommand({ folder, isReadOnly, cert, print })
}

/** Prints the file instead of the token, because output ends up in logs and histories. */
function token({ folder, isReadOnly, print }: Asked): number {
  const access = isReadOnly ? 'read_only' : 'full'
  tokenOf(folder, access)
  const file = join(folder, TOKEN_FILES[access])
  print(file, { file, access })
  return EXIT.done
}

function url({ folder, print }: Asked): number {
  const at = listeningIn(folder)
  print(at, { url: at })
  return EXIT.done
}

async function code({ folder, cert, print, isReadOnly }: Asked): Promise<number> {
  const at = listeningIn(folder)
  const body = isReadOnly ? { scope: 'read' } : {}
  const request = { url: at, path: '/v1/sign_in_codes', token: tokenOf(folder, 'full'), cert: cert(), body }
  const { status, text } = await askDaemon(request).catch((error: Error) => {
    throw new Error(`the daemon at ${at} does not answer: ${error.message}`)
  })
  if (status >= 300) throw new Error(`the daemon at ${at} refused: ${status} ${text}`)
  const given = JSON.parse(text) as { code: string; expires_at: string }
  print(given.code, given)
  return EXIT.done
}

function listeningIn(folder: string): string {
  const found = readAddress(folder)
  // A killed one leaves its address behind; another program there must not get the token.
  if (found && isRunning(found.pid)) return found.url
  throw new Error(`no daemon is listening for ${folder}; start one: mulligan serve`)
}
