import { buildSignatureMap, type SignatureMap } from '../failure/signature.ts'
import { type EffectiveValue, effectiveValues, type FindOrigin, type Origin, originText } from './origin.ts'
import { isReference, located } from './reference.ts'
import { type Config, configSchema, TARGETS } from './schema/config.ts'
import { type Node, nodeOf } from './schema/node.ts'
import { type Path, pathText } from './toml/place.ts'

type Parsed = ReturnType<typeof configSchema.parse>

/** A config that was read and found right, and where each of its values comes from. */
export class LoadedConfig {
  /** Undefined if there is no file, which is fine. */
  readonly file: string | undefined
  /** What is in force. */
  readonly config: Config
  /** Every value, in the order of the schema. */
  readonly values: readonly EffectiveValue[]
  readonly #origins: ReadonlyMap<string, Origin>
  #signatures: SignatureMap | undefined

  constructor(read: {
    file: string | undefined
    written: Readonly<Record<string, unknown>>
    parsed: Parsed
    originOf: FindOrigin
  }) {
    this.file = read.file
    const { fields } = nodeOf(configSchema) as Extract<Node, { kind: 'table' }>
    const renamed = [...fields.values()].map(field => ({
      ...field,
      target: TARGETS[field.key as keyof typeof TARGETS],
    }))
    this.values = effectiveValues(renamed, read.written, read.originOf)
    this.#origins = new Map(this.values.map(({ target, origin }) => [pathText(target), origin]))
    this.config = this.#placed(configOf(read.parsed), '') as Config
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

  /** The compiled error signatures by provider, made when first asked for. */
  get signatures(): SignatureMap {
    this.#signatures ??= buildSignatureMap(
      this.config.providers.map(({ id, errorSignatures }) => ({ id, error_signatures: errorSignatures })),
    )
    return this.#signatures
  }

  /** References know where they stand, so that a missing variable is reported with its place. */
  #placed(value: unknown, path: string): unknown {
    if (isReference(value)) {
      const origin = this.originOf(path)
      return origin ? located(value, originText(origin), this.file) : value
    }
    if (Array.isArray(value)) return value.map((item, index) => this.#placed(item, `${path}[${index}]`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.#placed(inner, joined(path, key))]),
    )
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
    councils: parsed.council,
    queue: parsed.queue,
    capabilities: parsed.capability,
    schedules: parsed.schedule,
  }
}
