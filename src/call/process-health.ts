import { Health } from '../provider/health.ts'

/**
 * The process's health of providers, for calls without their own `health`. `status()` says which providers admit and why others do
 * not, `reset(id)` ends every block of a provider, `pause(id, why)` and `resume(id)` take one out and back in.
 */
export const processHealth: Health = new Health()
