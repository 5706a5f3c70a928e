import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'

/** A health that can also start programs, for probes that are commands. Where there are no programs, it is the other. */
export class NodeHealth extends Health {
  constructor(options: HealthOptions = {}) {
    // Few probes are commands: what starts programs is loaded with the first one that is.
    super(options, async program => (await import('../process/run.ts')).run(program))
  }
}
