// A program of which one part uses mulligan and another @mulligan/core: there is one copy of what both export.

import * as core from '@mulligan/core'
import * as whole from 'mulligan'
import { CallFailed as FromCall } from 'mulligan/call'
import type { Health } from 'mulligan/provider'

const failing = () => whole.call(() => Promise.reject(new Error('invalid api key')), { maxRetries: 0 })
const error: unknown = await failing().catch(reason => reason)
if (!(error instanceof core.CallFailed) || !(error instanceof FromCall))
  throw new Error('two copies of CallFailed')
if (whole.processHealth !== core.processHealth) throw new Error('two copies of the health')
if (!(new whole.Health() instanceof core.Health)) throw new Error('two copies of Health')
// For the compiler too: what one package makes, the other takes.
export const shared = core.call(() => 1, { health: new whole.Health() })
export const taken: core.CallFailed = error
export type Both = Health
