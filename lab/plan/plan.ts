import type { FaultName } from '../fault/table.ts'
import type { LabRequest } from '../request.ts'
import { concerns, type FaultStep } from './step.ts'

/** Faults by chance. */
export interface Chance {
  /** Share of model calls that fail, 0 to 1. */
  probability: number
  /** Which faults, all equally likely. Default {@link CHANCE_FAULTS}. */
  faults?: readonly FaultName[] | undefined
  /** Returns numbers in [0, 1). Two are drawn for every call, so the k-th call depends only on k. */
  random: () => number
}

/** Faults that pass or that a second try may get over: what an unattended agent meets in practice. */
export const CHANCE_FAULTS: readonly FaultName[] = [
  'rate_limit',
  'overloaded',
  'server_error',
  'bad_gateway',
  'stream_overloaded',
  'cut_stream',
  'reset',
]

/** Decides which request fails, and how. The first step that strikes wins; chance comes after all steps. */
export class Plan {
  readonly #chance: Chance | undefined
  #steps: { step: FaultStep; seen: number }[]

  constructor(script: readonly FaultStep[], chance: Chance | undefined) {
    this.#chance = chance
    this.#steps = script.map(step => ({ step, seen: 0 }))
  }

  /** Steps that may still strike. */
  get steps(): FaultStep[] {
    return this.#steps.filter(entry => entry.seen < lastOf(entry.step)).map(({ step }) => step)
  }

  /** Adds steps, which count from now on and take precedence over existing ones. */
  add(steps: readonly FaultStep[]): void {
    this.#steps = [...steps.map(step => ({ step, seen: 0 })), ...this.#steps]
  }

  /** Removes all steps; chance stays. */
  clear(): void {
    this.#steps = []
  }

  /** What strikes this request, if anything. Every step that applies to the request counts it. */
  next(request: LabRequest): FaultStep | undefined {
    const striking: FaultStep[] = []
    for (const entry of this.#steps) {
      if (!concerns(entry.step, request)) continue
      entry.seen++
      if (entry.seen > (entry.step.after ?? 0) && entry.seen <= lastOf(entry.step)) striking.push(entry.step)
    }
    const chance = request.wants.what === 'answer' ? this.#byChance() : undefined
    return striking[0] ?? (chance === undefined ? undefined : { fault: chance })
  }

  #byChance(): FaultName | undefined {
    if (!this.#chance) return undefined
    const { probability, faults = CHANCE_FAULTS, random } = this.#chance
    const [whether, which] = [random(), random()]
    return whether < probability ? faults[Math.floor(which * faults.length)] : undefined
  }
}

/** The number of the last request that a step strikes. */
function lastOf({ after = 0, times = 1 }: FaultStep): number {
  return times === 'always' ? Infinity : after + times
}
