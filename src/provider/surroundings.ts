import type { SignatureMap } from '../failure/signature.ts'
import type { run } from '../process/run.ts'
import type { Time } from '../time/time.ts'
import type { HealthEvent } from './event.ts'
import type { ProviderStore } from './store.ts'

type Untimed<E> = E extends HealthEvent ? Omit<E, 'at'> : never

/** Runs a program to its end. */
export type RunCommand = typeof run

/** What all parts of one health share. */
export interface Surroundings {
  time: Time
  /** In [0, 1). */
  random: () => number
  store: ProviderStore | undefined
  /** How limits of providers read where the catalogue does not know them. */
  signatures: SignatureMap | undefined
  /** Undefined where no program can be started: in browsers and on the edge. */
  runCommand: RunCommand | undefined
  emit(event: Untimed<HealthEvent>): void
  /** A store that could not be read or written. */
  problem(error: unknown): void
}
