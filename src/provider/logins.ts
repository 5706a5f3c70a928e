import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { type ClearedBy, credentialHash } from './block.ts'
import type { BlockCell } from './block-cell.ts'
import type { Caller } from './caller.ts'
import type { StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { LoginCell } from './login-cell.ts'
import { type Refusal, refusedByBlock } from './refusal.ts'
import type { ProviderSettings } from './settings.ts'
import { strikeKindOf } from './strikes.ts'

/** Stands for the hash of an unknown credential. */
const UNKNOWN = ''

/**
 * The logins at one provider. A refused one is blocked while all others continue: one tenant's key says nothing about
 * another's. A call states its credential; otherwise the provider's settings do.
 */
export class Logins {
  readonly #provider: string
  readonly #configured: ProviderSettings['credential']
  readonly #cellMaker: CellMaker
  /** By hash of the credential, or {@link UNKNOWN}. */
  readonly #cells = new Map<string, LoginCell>()
  /** Hashes of the credentials that the settings had while this process ran. */
  readonly #seen = new Set<string>()

  constructor(provider: string, configured: ProviderSettings['credential'], cells: CellMaker) {
    this.#provider = provider
    this.#configured = configured
    this.#cellMaker = cells
  }

  /** Whether a call's credential, given or from the settings, is known. */
  isKnown(credential: string | undefined): boolean {
    return this.#hashOf(credential) !== undefined
  }

  /** Whether there is anything to clear. Checked on every success. */
  get isAnyRefused(): boolean {
    if (this.#cells.size === 0) return false
    for (const login of this.#cells.values()) if (login.isRefused || login.block.cell.value) return true
    return false
  }

  refusal(credential: string | undefined, now: number): Refusal | undefined {
    if (this.#cells.size === 0) return undefined
    const configured = this.#hashOf(undefined)
    this.#forgetReplaced(configured)
    const hash = credential === undefined ? configured : credentialHash(credential)
    const block =
      (hash === undefined ? this.#blockOfConfigured(now) : this.#cells.get(hash)?.block.at(now)) ??
      this.#blockOfUnknown(hash, now)
    return block && refusedByBlock(this.#provider, block, now)
  }

  /** A call with this credential goes through a block that time does not end. */
  takeTest(credential: string | undefined, now: number): void {
    const hash = this.#hashOf(credential)
    for (const [of, { block }] of this.#cells)
      if (hash === undefined || of === hash || of === UNKNOWN) block.takeTest(now)
  }

  strikesBefore(failure: Failure, credential: string | undefined, startedAt: number, now: number): number {
    const way = strikeKindOf(failure)
    const login = this.#cells.get(this.#hashOf(credential) ?? UNKNOWN)
    return way === undefined ? 0 : (login?.strikes.before(way, startedAt, now) ?? 0)
  }

  /** Records a refusal. `blockUntil` is the policy's decision. */
  refused(
    failure: Failure,
    blockUntil: HealthMark['blockUntil'],
    now: number,
    { credential, startedAt }: Caller & { startedAt: number },
  ): void {
    const hash = this.#hashOf(credential)
    const login = this.cell(hash)
    const way = strikeKindOf(failure)
    const until = blockUntil === 'cleared' ? null : (blockUntil ?? now)
    if (way !== undefined) login.strikes.struck(way, startedAt, now, until)
    const isConfigured = credential === undefined && hash !== undefined
    if (blockUntil !== undefined)
      login.block.set(failure, now, blockUntil, { credential: hash, isConfigured })
  }

  succeeded(credential: string | undefined, startedAt: number, now: number): void {
    const own = credential === undefined ? [UNKNOWN] : []
    for (const of of new Set([this.#hashOf(credential) ?? UNKNOWN, ...own])) {
      const login = this.#cells.get(of)
      login?.block.clearSetBefore(startedAt)
      login?.strikes.succeeded(startedAt, now)
    }
  }

  /** The login from the settings, or the unknown one, was shown to work. This says nothing about logins of single calls. */
  answered(by: 'probe' | 'doctor'): void {
    for (const login of this.#own()) {
      login.block.clear(by)
      login.strikes.clear()
    }
  }

  /** Whether the login from the settings, or the unknown one, was refused and has not served since. */
  get isRefused(): boolean {
    this.#forgetReplaced(this.#hashOf(undefined))
    return this.#own().some(login => login.isRefused)
  }

  clear(by: ClearedBy): void {
    for (const login of this.#cells.values()) {
      login.block.clear(by)
      login.strikes.clear()
    }
  }

  /** @param credential its hash */
  cell(credential: string | undefined): LoginCell {
    let login = this.#cells.get(credential ?? UNKNOWN)
    if (!login) {
      login = new LoginCell(this.#provider, credential, this.#cellMaker)
      this.#cells.set(credential ?? UNKNOWN, login)
    }
    return login
  }

  /** The blocks of all logins, except those of credentials that the settings no longer have. */
  *blocks(): Iterable<BlockCell> {
    const configured = this.#hashOf(undefined)
    for (const [of, { block }] of this.#cells) {
      const isReplaced = block.cell.value?.isConfigured && configured !== undefined && of !== configured
      if (!isReplaced) yield block
    }
  }

  *cells(): Iterable<StoredCell> {
    for (const login of this.#cells.values()) yield* login.cells()
  }

  /** Logins of calls that name no credential. */
  #own(): LoginCell[] {
    const hash = this.#hashOf(undefined)
    return [...this.#cells].flatMap(([of, login]) => {
      const isConfigured = login.block.cell.value?.isConfigured === true
      return of === UNKNOWN || of === hash || (isConfigured && hash === undefined) ? [login] : []
    })
  }

  /** Used by a process that cannot read the settings' credential and so cannot tell that it changed. */
  #blockOfConfigured(now: number) {
    for (const { block } of this.#cells.values()) if (block.cell.value?.isConfigured) return block.at(now)
    return undefined
  }

  /** The block of calls without a known credential; it may date from when a known credential was not yet known. */
  #blockOfUnknown(hash: string | undefined, now: number) {
    const block = this.#cells.get(UNKNOWN)?.block.at(now)
    if (!block) return undefined
    const isMeant =
      block.credential === undefined ? hash === undefined : [undefined, block.credential].includes(hash)
    return isMeant ? block : undefined
  }

  /**
   * The settings have a new credential: clears what the old one was refused for. Only a credential that this process saw in
   * the settings is old; another process may have its own, which stays refused.
   */
  #forgetReplaced(configured: string | undefined): void {
    if (configured === undefined) return
    for (const [of, login] of this.#cells) {
      const block = login.block.cell.value
      if (block?.credential === undefined || block.credential === configured) continue
      if (of !== UNKNOWN && !(block.isConfigured && this.#seen.has(of))) continue
      login.block.clear('credential')
      login.strikes.clear()
    }
    this.#seen.add(configured)
  }

  #hashOf(credential: string | undefined): string | undefined {
    if (credential !== undefined) return credentialHash(credential)
    try {
      const value = typeof this.#configured === 'function' ? this.#configured() : this.#configured
      return value === undefined ? undefined : credentialHash(value)
    } catch {
      // A credential that cannot be read now is unknown; the call itself will fail with the reason.
      return undefined
    }
  }
}
