import type { LoadedConfig } from '../../config/loaded.ts'
import { makeFolder } from '../../config/make-folder.ts'
import { SCOPES, type Scope } from '../../gateway/http/scope.ts'
import { type TeamToken, TeamTokens } from '../../gateway/http/team-tokens.ts'
import { nearest } from '../../option/nearest.ts'
import { parseDuration } from '../../time/duration.ts'
import { timeToJson } from '../../time/time-json.ts'
import { EXIT } from '../exit-code.ts'
import { UsageError } from '../flag/arguments.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { tableOf } from '../print/table.ts'
import { recordAside } from '../runtime/record-change.ts'
import type { Terminal } from '../terminal.ts'

interface Place {
  folder: string
  loaded: LoadedConfig
  terminal: Terminal
  print: (text: string, json: Record<string, unknown>) => void
}

interface Given {
  scope: string | undefined
  expires: string | undefined
}

const EXPIRES_DEFAULT = '90d'
const NAME = /^[\w.-]{1,40}$/

const SUBCOMMANDS = { new: make, revoke, ls: list }

/** `http token new|revoke|ls`. */
export async function teamToken(
  [name, ...rest]: readonly string[],
  given: Given,
  place: Place,
): Promise<number> {
  const subcommand = subcommandOf('http token', name, SUBCOMMANDS)
  if (subcommand !== make && (given.scope !== undefined || given.expires !== undefined))
    throw new UsageError('--scope and --expires go with http token new')
  return subcommand(rest, given, place)
}

async function make(rest: readonly string[], given: Given, place: Place): Promise<number> {
  const name = nameIn('new', rest)
  const scope = scopeOf(given.scope ?? 'read')
  const now = place.terminal.now()
  const lasts = lastsOf(given.expires ?? EXPIRES_DEFAULT)
  makeFolder(place.folder)
  const token: TeamToken = {
    name,
    scope,
    createdAt: now,
    ...(lasts === undefined ? {} : { expiresAt: now + lasts }),
  }
  const made = new TeamTokens(place.folder).make(token)
  await record(place, 'http token new', `${name} (${scope})`)
  place.print(made, { token: made, ...toJson(token) })
  place.terminal.stderr('mulligan: this token is not shown again\n')
  return EXIT.done
}

async function revoke(rest: readonly string[], _given: Given, place: Place): Promise<number> {
  const name = nameIn('revoke', rest)
  const tokens = new TeamTokens(place.folder)
  if (!tokens.revoke(name)) {
    const guess = nearest(
      name,
      tokens.list().map(each => each.name),
    )
    throw new Error(
      `there is no token named ${JSON.stringify(name)}${guess ? `; did you mean ${JSON.stringify(guess)}?` : ''}`,
    )
  }
  await record(place, 'http token revoke', name)
  place.print(`${name} is revoked`, { name, revoked: true })
  return EXIT.done
}

async function list(
  rest: readonly string[],
  _given: Given,
  { folder, print, terminal }: Place,
): Promise<number> {
  if (rest.length > 0) throw new UsageError(`http token ls takes no ${JSON.stringify(rest[0])}`)
  const tokens = new TeamTokens(folder).list()
  const now = terminal.now()
  const rows = tokens.map(({ name, scope, expiresAt, lastUsedAt }) => [
    name,
    scope,
    expiresAt === undefined ? 'never' : `${timeToJson(expiresAt)}${expiresAt <= now ? ' (over)' : ''}`,
    lastUsedAt === undefined ? 'never' : timeToJson(lastUsedAt),
  ])
  const text = tableOf([['NAME', 'SCOPE', 'EXPIRES', 'LAST USED'], ...rows], 'words').trimEnd()
  print(tokens.length === 0 ? 'No tokens; to make one: mulligan http token new NAME' : text, {
    tokens: tokens.map(toJson),
  })
  return EXIT.done
}

function toJson({ name, scope, createdAt, expiresAt, lastUsedAt }: TeamToken): Record<string, unknown> {
  return {
    name,
    scope,
    created_at: timeToJson(createdAt),
    ...(expiresAt === undefined ? {} : { expires_at: timeToJson(expiresAt) }),
    ...(lastUsedAt === undefined ? {} : { last_used_at: timeToJson(lastUsedAt) }),
  }
}

function nameIn(what: string, [name, ...rest]: readonly string[]): string {
  if (name === undefined) throw new UsageError(`http token ${what} needs a NAME`)
  if (rest.length > 0) throw new UsageError(`http token ${what} takes no ${JSON.stringify(rest[0])}`)
  if (!NAME.test(name))
    throw new UsageError(
      `a token's name has letters, digits, ".", "_" and "-", at most 40, not ${JSON.stringify(name)}`,
    )
  return name
}

function scopeOf(given: string): Scope {
  const scope = SCOPES.find(each => each === given)
  if (scope) return scope
  throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}, not ${JSON.stringify(given)}`)
}

/** Milliseconds; undefined for no end. */
function lastsOf(given: string): number | undefined {
  if (given === 'never') return undefined
  const ms = parseDuration(given)
  if (ms === undefined || ms <= 0)
    throw new UsageError(`--expires must be a duration such as 30d, or "never", not ${JSON.stringify(given)}`)
  return ms
}

function record({ folder, loaded, terminal }: Place, action: string, subject: string): Promise<void> {
  return recordAside(loaded, terminal, { action, subject, folder, absent: 'make' })
}
