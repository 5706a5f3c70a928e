import { present } from '../failure/present.ts'
import type { Signature } from '../failure/signature.ts'
import { AllSignatures } from '../failure/signature-map.ts'
import type { FoundBy } from './discover.ts'
import { type EffectiveValue, effectiveValues, type FindOrigin, type Origin, originText } from './origin.ts'
import { isReference, located } from './reference.ts'
import { type Config, configSchema, TARGETS } from './schema/config.ts'
import { type Node, nodeOf } from './schema/node.ts'
import { type Path, pathText } from './toml/position.ts'
import { UntrustedConfig } from './untrusted.ts'

type Parsed = ReturnType<typeof configSchema.parse>

/** How a config was found, and whether it may act. */
export interface ConfigOrigin {
  by: FoundBy
  /** SHA-256 of the bytes read, in hex. Absent if the text did not come from a file. */
  hash?: string
  isTrusted: boolean
}

declare const TRUSTED: unique symbol

/**
 * A config that may act: start programs, load modules, send credentials. All code that does so takes this type, so no stranger's
 * file reaches it. It comes from {@link trusted}, or from a text that the caller vouches for.
 */
export type TrustedConfig = LoadedConfig & { readonly [TRUSTED]: true }

/**
 * A valid config, and where each of its values comes from. Until it is trusted it can only be inspected, and its references
 * (`env:`, `file:`) cannot be resolved.
 */
export class LoadedConfig {
  /** How it was found. */
  readonly by: FoundBy
  /** SHA-256 of the bytes it was read from; undefined without a file. */
  readonly hash: string | undefined
  #isTrusted: boolean
  /** Undefined if there is no file, which is fine. */
  readonly file: string | undefined
  /** The values in force. */
  readonly config: Config
  /** Whether the file has mistakes, and only what reading needs was taken from it. */
  isBroken = false
  /** Every value, in the order of the schema. */
  readonly values: readonly EffectiveValue[]
  readonly #origins: ReadonlyMap<string, Origin>
  #signatures: AllSignatures | undefined

  constructor(read: {
    file: string | undefined
    written: Readonly<Record<string, unknown>>
    parsed: Parsed
    originOf: FindOrigin
    source: ConfigOrigin
  }) {
    this.file = read.file
    this.by = read.source.by
    this.hash = read.source.hash
    this.#isTrusted = read.source.isTrusted
    const { fields } = nodeOf(configSchema) as Extract<Node, { kind: 'table' }>
    const renamed = [...fields.values()].map(field => ({
      ...field,
      target: TARGETS[field.key as keyof typeof TARGETS],
    }))
    this.values = effectiveValues(renamed, read.written, read.originOf)
    this.#origins = new Map(this.values.map(({ target, origin }) => [pathText(target), origin]))
    this.config = this.#placed(configOf(read.parsed), '') as Config
  }

  /** Whether it may start programs, load modules and send credentials. */
  get isTrusted(): boolean {
    return this.#isTrusted
  }

  /** Marks this config as trusted, because its user said so. */
  trust(): TrustedConfig {
    this.#isTrusted = true
    this.#signatures = undefined
    return this as unknown as TrustedConfig
  }

  /** Where a value comes from; `path` is written as in TypeScript: `providers[0].breaker.cooldownMs`. */
  originOf(path: string): Origin | undefined {
    return this.#origins.get(path)
  }

  /** The value at a path of `Config`; undefined if there is none. */
  at(path: Path): unknown {
    return path.reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step],
      this.config,
    )
  }

  /** Signatures by provider, created on first use. */
  get signatures(): AllSignatures {
    const { providers, signatures } = this.config
    this.#signatures ??= new AllSignatures({
      lists: new Map(providers.map(({ id, errorSignatures }) => [id, errorSignatures])),
      signatures: this.#isTrusted ? signatures : signatures.map(classAlone),
    })
    return this.#signatures
  }

  #checkTrust(): void {
    if (!this.#isTrusted) throw new UntrustedConfig(this.file as string)
  }

  /** Adds their position to references, so a missing variable is reported with its place. */
  #placed(value: unknown, path: string): unknown {
    if (isReference(value)) {
      const origin = this.originOf(path)
      const where = origin ? originText(origin) : undefined
      return located(value, where, this.file, () => this.#checkTrust())
    }
    if (Array.isArray(value)) return value.map((item, index) => this.#placed(item, `${path}[${index}]`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.#placed(inner, joined(path, key))]),
    )
  }
}

/**
 * What a signature in an untrusted file may say: no more than a provider's lists. A stranger must not be able to say that a
 * failed try did nothing, or that a provider must be left alone for weeks.
 */
export function classAlone({ pattern, fingerprint, provider, class: cls }: Signature): Signature {
  return {
    class: cls,
    ...present({ pattern, fingerprint, provider }),
  }
}

function joined(path: string, key: string): string {
  return path === '' ? pathText([key]) : `${path}.${pathText([key])}`
}

function configOf(parsed: Parsed): Config {
  return {
    providers: parsed.provider,
    pools: parsed.pool,
    policy: parsed.policy,
    budget: parsed.budget,
    redact: parsed.redact,
    prices: parsed.price,
    councils: parsed.council,
    queue: parsed.queue,
    http: parsed.http,
    proxy: parsed.proxy,
    capabilities: parsed.capability,
    signatures: parsed.signature,
    schedules: parsed.schedule,
    surfaces: parsed.surface,
    upstreams: parsed.upstream,
    workflows: parsed.workflow,
    groups: parsed.group,
  }
}
