import type { SignatureMap } from '../../failure/signature-map.ts'
import type { Gate } from '../../provider/gate.ts'
import type { EngineJob, Performed } from './engine-job.ts'

/** The ledger as one worker uses it, once it is connected. */
export interface Link {
  /** Knows which providers can serve, from every process on the ledger. */
  readonly health: Gate
  /** Signatures of the config and of the labels in force. */
  readonly signatures: SignatureMap
  /** Whether a job may wait here for a person: it can be given back to its engine. Waits for what makes that so. Never rejects. */
  mayPark(): Promise<boolean>
  /** Reads the labels in force, if that was long ago. Never rejects. */
  readLabels(): Promise<void>
  /** Whether an operation still waits for a person; also while the ledger cannot say. Never rejects. */
  waits(operation: string): Promise<boolean>
  /** Runs a job, and writes what the ledger must know of it. Never rejects. */
  perform(job: EngineJob): Promise<Performed>
}
