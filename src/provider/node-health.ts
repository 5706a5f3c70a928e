import { run } from '../process/run.ts'
import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'

/** A health that can also start programs, for probes that are commands. Where there are no programs, it is the other. */
export class NodeHealth extends Health {
  constructor(options: HealthOptions = {}) {
    super(options, run)
  }
}
