import { quote } from '../../failure/quote.ts'
import type { Capability } from '../capability.ts'
import { referenceOf } from '../template.ts'
import { type Envelope, isEnvelope, keyIdOf, type SecretOwner, seal, unseal } from './envelope.ts'
import { SECRET_KEY_VARIABLE } from './key.ts'
import { KeyRing, type KeyRingOptions, SecretKeyError } from './key-ring.ts'

/** Parameters with their secrets opened, or what they wait for. */
export type Opened =
  | { params: unknown; secrets: readonly unknown[] }
  | { missing: 'secret' | 'parameters'; reason: string }

/** Where keys come from, and what parameters may refer to. */
export interface SecretsOptions extends KeyRingOptions {
  /** Whether an operation may refer to this variable as `env:NAME`. Default: to all but Mulligan's own key. */
  mayRefer?: (variable: string) => boolean
}

type Secretive = Pick<Capability, 'name' | 'secrets'>

/** Seals the secret parameters of operations before they are stored, and opens them for a run. */
export class Secrets {
  readonly keys: KeyRing
  readonly #mayRefer: (variable: string) => boolean

  constructor(options: SecretsOptions) {
    this.keys = new KeyRing(options)
    this.#mayRefer = options.mayRefer ?? (() => true)
  }

  /**
   * Parameters as they are stored: secret ones encrypted, references unchanged. Sealed values stay as they are, so stored
   * parameters can be edited. Throws a {@link SecretKeyError} if there is no usable key.
   */
  seal({ name, secrets }: Secretive, params: unknown): unknown {
    if (secrets.length === 0 || typeof params !== 'object' || params === null) return params
    return mapParams(params, (param, value) => {
      if (!secrets.includes(param) || value === undefined || value === null) return value
      if (isEnvelope(value) || referenceOf(value) !== undefined) return value
      return seal(value, { capability: name, param }, this.keys.current())
    })
  }

  /** Stored parameters for a run. Returns why a secret cannot be opened; never throws for that. */
  open(
    { name, secrets }: Secretive,
    params: unknown,
    env: Readonly<Record<string, string | undefined>>,
  ): Opened {
    if (typeof params !== 'object' || params === null) return { params, secrets: [] }
    const plain: unknown[] = []
    try {
      const opened = mapParams(params, (param, value) => {
        const isSecret = secrets.includes(param)
        const variable = isSecret ? referenceOf(value) : undefined
        let open = value
        // An envelope is opened even if the parameter is no longer secret: it still contains one.
        if (isEnvelope(value)) open = this.#unseal(value, { capability: name, param })
        else if (variable !== undefined) open = this.#lookUp(variable, param, env)
        if (isSecret || open !== value) plain.push(open)
        return open
      })
      return { params: opened, secrets: plain }
    } catch (error) {
      if (error instanceof Shut) return { missing: error.missing, reason: error.message }
      if (error instanceof SecretKeyError) return { missing: 'secret', reason: error.message }
      throw error
    }
  }

  #unseal(envelope: Envelope, place: SecretOwner): unknown {
    const id = keyIdOf(envelope)
    const damaged = `the secret ${quote(place.param)} was changed or belongs to another operation; set it again`
    if (id === undefined) throw new Shut('parameters', damaged)
    const key = this.keys.find(id)
    if (!key) {
      const here =
        this.keys.ids.length === 0 ? 'there is no key here' : `keys here: ${this.keys.ids.join(', ')}`
      throw new Shut('secret', `the key ${id} that opens ${quote(place.param)} is missing; ${here}`)
    }
    const opened = unseal(envelope, place, key)
    if (!opened) throw new Shut('parameters', damaged)
    return opened.value
  }

  #lookUp(variable: string, param: string, env: Readonly<Record<string, string | undefined>>): string {
    if (variable === SECRET_KEY_VARIABLE || !this.#mayRefer(variable))
      throw new Shut('parameters', `${quote(param)} refers to the variable ${variable}, which is not allowed`)
    const value = env[variable] ?? ''
    if (value === '')
      throw new Shut(
        'secret',
        `${quote(param)} refers to the variable ${variable}, which is not set in the runner's environment`,
      )
    return value
  }
}

/** Why a secret cannot be opened; never leaves this file. */
class Shut extends Error {
  readonly missing: 'secret' | 'parameters'

  constructor(missing: 'secret' | 'parameters', reason: string) {
    super(reason)
    this.missing = missing
  }
}

function mapParams(params: object, map: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(params)) return params
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, map(name, value)]))
}
