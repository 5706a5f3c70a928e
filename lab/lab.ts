import type { Time } from '../src/time/time.ts'
import type { FaultName } from './fault/table.ts'
import type { Chance } from './plan/plan.ts'
import type { FaultStep } from './plan/step.ts'
import type { LabRecord } from './record.ts'
import type { LabRequest } from './request.ts'

/** Settings of a lab. */
export interface LabOptions {
  /** Port on 127.0.0.1. Default 0: any free one. */
  port?: number
  /** Key that callers must send; others get the vendor's 401. Default none: any key is right. */
  token?: string
  /** What the model says, or a function that says it for a request. Default {@link ANSWER_DEFAULT}. */
  answer?: string | ((request: LabRequest) => string)
  /** Faults by count; `always` of one fault may be written as its name. Default none. */
  script?: readonly FaultStep[] | FaultName
  /** Faults by chance, for what no step strikes. Default none. */
  chance?: Chance
  /** How long limits ask to wait, in milliseconds. Default 20 s. */
  waitMs?: number
  /** Wait before every piece of a slow stream, in milliseconds. Default 1 s. */
  slowMs?: number
  /** How many requests are remembered. Default 500. */
  keep?: number
  /** Default the time of this machine. */
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
  /** Goes up whenever `requests` or the steps change. */
  readonly version: number
  /** Steps that may still strike. */
  readonly steps: readonly FaultStep[]
  /** Adds steps, which count from now on and come before those that are there. A name means: the next request. */
  inject(steps: FaultName | FaultStep | readonly FaultStep[]): void
  /** Takes all steps away; chance stays. */
  clear(): void
  /** As after the start: the first script, no requests, counts at zero. Chance goes on drawing where it was. */
  reset(): void
  /** Calls back for every request that has been dealt with; returns the function that stops it. */
  onRequest(listener: (record: LabRecord) => void): () => void
  /** Drops all connections, what hangs included, and stops. May be called twice. */
  close(): Promise<void>
}
