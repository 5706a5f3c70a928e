import { nearest } from '../../src/option/nearest.ts'
import { ANSWERS } from './answers.ts'
import type { Fault } from './fault.ts'
import { LIMITS } from './limits.ts'
import { MONEY } from './money.ts'
import { REFUSALS } from './refusals.ts'
import { SERVER } from './server.ts'
import { IN_STREAM } from './stream.ts'
import { TRANSPORT } from './transport.ts'

const TABLE = {
  ...LIMITS,
  ...MONEY,
  ...SERVER,
  ...REFUSALS,
  ...IN_STREAM,
  ...ANSWERS,
  ...TRANSPORT,
}

/** The name of a fault, as scripts, flags and HTTP write it. */
export type FaultName = keyof typeof TABLE

/** Every way in which the lab can fail. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = TABLE

/** The names of all faults. */
export const FAULT_NAMES = Object.keys(TABLE) as FaultName[]

/** Checks the name of a fault; the error suggests the nearest. */
export function faultName(word: string): FaultName {
  if (Object.hasOwn(TABLE, word)) return word as FaultName
  const guess = nearest(word, FAULT_NAMES)
  throw new LabError(
    `unknown fault ${JSON.stringify(word)}${guess ? `; did you mean "${guess}"?` : `; one of: ${FAULT_NAMES.join(', ')}`}`,
  )
}

/** The lab was asked for something it cannot do. The message says what would be right. */
export class LabError extends Error {
  override name = 'LabError'
}
