import { Health } from '../provider/health.ts'

/**
 * Health of the providers of this process, for calls that bring no `gate` of their own. `status()` says who admits and
 * why not, `reset(id)` ends every block of a provider, `pause(id, why)` and `resume(id)` take one out and back in.
 */
export const health: Health = new Health()
