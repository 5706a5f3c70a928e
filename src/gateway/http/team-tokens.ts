import { hash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { present } from '../../failure/present.ts'
import { quietly } from '../../time/clean-up.ts'
import { readPrivateJson, writePrivateJson } from './private-json.ts'
import { SCOPES, type Scope } from './scope.ts'

/** Names of the files in the data folder. The second is written by the daemon, the first by commands. */
export const TEAM_TOKENS_FILE = 'http-tokens.json'
const USED_FILE = 'http-tokens-used.json'

/** A token of a team: a name, what it may do, and until when. The token itself is not kept, only its hash. */
export interface TeamToken {
  name: string
  scope: Scope
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds; undefined: never. */
  expiresAt?: number
  /** Epoch milliseconds, to the minute; undefined: not yet. */
  lastUsedAt?: number
}

const kept = z.object({
  tokens: z.array(
    z.object({
      name: z.string(),
      hash: z.string(),
      scope: z.enum(SCOPES),
      created_at: z.number(),
      expires_at: z.number().optional(),
    }),
  ),
})
type Kept = z.output<typeof kept>['tokens'][number]
const used = z.record(z.string(), z.number())

/** How exactly the last use is known, in milliseconds: a file is not written for every request. */
const USED_EVERY_MS = 60_000

/** The tokens of a team, in a file of the data folder. What a command writes there counts from the next request on. */
export class TeamTokens {
  readonly #folder: string
  #read: { version: string; tokens: readonly Kept[] } | undefined
  readonly #told = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The token, if it is one that has not expired. Notes its use. */
  use(token: string, now: number): TeamToken | undefined {
    // A list is short, and a hash reveals nothing by how long it is compared.
    const given = hashOf(token)
    const found = this.#tokens().find(each => each.hash === given)
    if (!found || isOver(found, now)) return undefined
    this.#noteUse(found, now)
    return toToken(found)
  }

  /** The token of a name, if it has not expired. */
  named(name: string, now: number): TeamToken | undefined {
    const found = this.#tokens().find(each => each.name === name)
    return found && !isOver(found, now) ? toToken(found) : undefined
  }

  /** All tokens, by name, with their last use. */
  list(): TeamToken[] {
    const uses = used.safeParse(readPrivateJson(join(this.#folder, USED_FILE))).data ?? {}
    return this.#tokens()
      .map(each => ({
        ...toToken(each),
        ...usedSince(each.created_at, uses[each.name]),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Makes a token, and returns it: it is shown once. Throws if the name is taken. */
  make(token: Omit<TeamToken, 'lastUsedAt'>): string {
    const tokens = this.#tokens()
    if (tokens.some(({ name }) => name === token.name))
      throw new Error(
        `there is a token named ${token.name} already; revoke it first: mulligan http token revoke ${token.name}`,
      )
    const made = `mlg_${randomBytes(32).toString('base64url')}`
    this.#write([
      ...tokens,
      {
        name: token.name,
        hash: hashOf(made),
        scope: token.scope,
        created_at: token.createdAt,
        ...present({ expires_at: token.expiresAt }),
      },
    ])
    return made
  }

  /** False if there is no token of this name. */
  revoke(name: string): boolean {
    const tokens = this.#tokens()
    const others = tokens.filter(each => each.name !== name)
    if (others.length === tokens.length) return false
    this.#write(others)
    return true
  }

  #write(tokens: readonly Kept[]): void {
    writePrivateJson(join(this.#folder, TEAM_TOKENS_FILE), { tokens })
    this.#read = undefined
  }

  /** Read again if the file has changed: asking costs a microsecond. */
  #tokens(): readonly Kept[] {
    const file = join(this.#folder, TEAM_TOKENS_FILE)
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
    const version = stat ? `${stat.ino} ${stat.mtimeNs} ${stat.size}` : ''
    if (this.#read?.version !== version) {
      const tokens = stat ? (kept.safeParse(readPrivateJson(file)).data?.tokens ?? []) : []
      this.#read = { version, tokens }
    }
    return this.#read.tokens
  }

  #noteUse({ name, hash: of }: Kept, now: number): void {
    if (now - (this.#told.get(of) ?? -Infinity) < USED_EVERY_MS) return
    this.#told.set(of, now)
    const file = join(this.#folder, USED_FILE)
    // A full disk must not keep anybody out.
    void quietly(() => writePrivateJson(file, { ...used.safeParse(readPrivateJson(file)).data, [name]: now }))
  }
}

/** An earlier use was that of another token of this name. */
function usedSince(createdAt: number, at: number | undefined): Pick<TeamToken, 'lastUsedAt'> {
  return at === undefined || at < createdAt ? {} : { lastUsedAt: at }
}

function isOver({ expires_at }: Kept, now: number): boolean {
  return expires_at !== undefined && expires_at <= now
}

function toToken({ name, scope, created_at, expires_at }: Kept): TeamToken {
  return {
    name,
    scope,
    createdAt: created_at,
    ...present({ expiresAt: expires_at }),
  }
}

function hashOf(token: string): string {
  return hash('sha256', token)
}
