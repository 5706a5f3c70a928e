import type { Time } from '../src/time/time.ts'
import type { Answer } from './answer/shape.ts'
import type { FaultName } from './fault/table.ts'
import type { Chance } from './plan/plan.ts'
import type { FaultStep } from './plan/step.ts'
import type { LabRecord } from './record.ts'
import type { LabRequest } from './request.ts'

/** Settings of a lab. */
export interface LabOptions {
  /** Port on 127.0.0.1. Default 0: any free one. */
  port?: number
  /** Key that callers must send; others get the vendor's 401. Default: none; any key is accepted. */
  token?: string
  /**
   * What the model says, or a function of the request that returns it: a text, or an answer that ends otherwise, such as
   * with the call of a tool. Default {@link ANSWER_DEFAULT}.
   */
  answer?: string | ((request: LabRequest) => string | Answer)
  /** Faults by count; a fault's name alone means `always`. Default: none. */
  script?: readonly FaultStep[] | FaultName
  /** Faults by chance, for requests that no step strikes. Default: none. */
  chance?: Chance
  /** How long limits ask to wait, in milliseconds. Default 20 s. */
  waitMs?: number
  /** Wait before every piece of a slow stream, in milliseconds. Default 1 s. */
  slowMs?: number
  /** How many requests are remembered. Default 500. */
  keep?: number
  /** The clock. Default: this machine's. */
  time?: Time
}

export const ANSWER_DEFAULT = 'All is well in the lab: this is a whole answer, in several pieces.'
export const WAIT_DEFAULT_MS = 20_000
export const SLOW_DEFAULT_MS = 1_000
export const KEEP_DEFAULT = 500

/** A running lab. */
export interface Lab {
  /** `http://127.0.0.1:PORT`, which is also the base URL for Anthropic and Gemini clients. */
  readonly url: string
  /** Base URL for OpenAI clients: with `/v1`. */
  readonly openaiUrl: string
  readonly token: string | undefined
  /** What was asked and answered, oldest first. */
  readonly requests: readonly LabRecord[]
  /** Increases whenever `requests` or the steps change. */
  readonly version: number
  /** Steps that may still strike. */
  readonly steps: readonly FaultStep[]
  /** Adds steps, which count from now on and take precedence over existing ones. A name means: the next request. */
  inject(steps: FaultName | FaultStep | readonly FaultStep[]): void
  /** Removes all steps; chance stays. */
  clear(): void
  /** Back to the start: the first script, no requests, counts at zero. Chance continues its sequence. */
  reset(): void
  /** Calls back for every finished request. Returns a function that stops it. */
  onRequest(listener: (record: LabRecord) => void): () => void
  /** Drops all connections, even hanging ones, and stops. May be called twice. */
  close(): Promise<void>
}
