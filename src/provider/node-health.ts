import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'

/** The health of providers; its probes may also be programs. Where there are no programs, it is the other. */
export class NodeHealth extends Health {
  constructor(options: HealthOptions = {}) {
    // Few probes are commands: what starts programs is loaded with the first one that is.
    super(options, async program => (await import('../process/run.ts')).run(program))
  }
}
