import { Health } from '../provider/health.ts'
import type { HealthOptions } from '../provider/health-options.ts'

/** The health of providers. Its probes may also be programs, unlike those of `Health` in browsers and on the edge. */
export class NodeHealth extends Health {
  constructor(options: HealthOptions = {}) {
    // Few probes are commands, so the code that starts programs is loaded with the first one.
    super(options, async program => (await import('./run.ts')).run(program))
  }
}
