import type { Failure } from '../failure/failure.ts'
import type { GateRequest } from '../provider/gate.ts'
import type { CallOptions } from './options.ts'

/** A call's question to the gate. Most answers are immediate and need no signal to withdraw the question. */
export class GateQuestion implements GateRequest {
  readonly pool: readonly string[]
  readonly model: string | undefined
  readonly credential: string | undefined
  readonly tried: ReadonlySet<string>
  readonly again: string | undefined
  readonly after: Failure | undefined
  readonly since: number | undefined
  #controller: AbortController | undefined

  constructor(
    pool: readonly string[],
    { model, credential }: Pick<CallOptions, 'model' | 'credential'>,
    tried: ReadonlySet<string>,
    again: string | undefined,
    after: Failure | undefined,
    since: number | undefined,
  ) {
    this.pool = pool
    this.model = model
    this.credential = credential
    this.tried = tried
    this.again = again
    this.after = after
    this.since = since
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** The answer is no longer needed. */
  withdraw(): void {
    this.#controller?.abort()
  }
}
