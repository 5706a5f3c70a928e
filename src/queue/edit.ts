import { admitParams } from '../capability/check-params.ts'
import { present } from '../failure/present.ts'
import { engineOf } from '../ledger/citizen.ts'
import type { Changes } from '../ledger/ledger.ts'
import { QueueError } from './error.ts'
import { refuseRepeat, refuseRepeatEdited } from './needs-person.ts'
import type { QueueDeps } from './queue-deps.ts'
import { existing } from './result.ts'
import { acceptedParams, checkSize, jsonText, timeOf } from './submission.ts'

/** Changes to a waiting or parked operation. Omitted fields stay unchanged. */
export interface EditOptions {
  /** All of its parameters. Sealed values may be passed back as stored. */
  params?: unknown
  /** Integer from -10 to 10; higher runs first. */
  priority?: number
  /** When to run it at the earliest: epoch milliseconds or a date. */
  at?: number | Date
  /**
   * Change the parameters of an operation, or revive it, even if it may already have taken effect. Default false: that is
   * refused.
   */
  mayRepeat?: boolean
  /** Starts a dead operation afresh with these changes, and keeps its history. Default false: a dead operation is not edited. */
  revive?: boolean
  /**
   * Change parameters even if this process does not have the capability: without checks, and without sealing secrets. Default
   * false.
   */
  unchecked?: boolean
}

/** Changes an operation that is not running. One that is parked for its parameters continues. */
export async function edit(
  deps: QueueDeps,
  id: string,
  { params, priority, at, unchecked = false, mayRepeat = false, revive = false }: EditOptions,
): Promise<void> {
  const { engine, registry } = deps
  const operation = await existing(deps, id)
  const capability = registry.get(operation.capability)
  // The worker of another engine checks the data of its jobs itself.
  const isForeign = engineOf(operation.capability) !== undefined
  if (params !== undefined && !capability && !isForeign && !unchecked)
    throw new QueueError(
      'unknown_capability',
      `the parameters of ${id} cannot be checked: there is no capability ${JSON.stringify(operation.capability)} here`,
    )
  // Running it with other parameters is another effect; what the old ones did cannot be checked with them.
  if (!mayRepeat && params !== undefined) await refuseRepeatEdited(deps, operation)
  else if (!mayRepeat && revive) await refuseRepeat(deps, operation)
  checkSize('the parameters', operation.capability, jsonText(params), deps.settings.maxParamsBytes)
  const changes: Changes = {
    ...(params === undefined
      ? {}
      : {
          params: capability
            ? acceptedParams(capability, await admitParams(capability, params, deps.secrets)).params
            : params,
        }),
    ...present({ priority }),
    ...(at === undefined ? {} : { dueAt: timeOf(at) }),
  }
  // One that dies only now was not asked about: it may have taken effect.
  if (!(await engine.edit(id, changes, { revive: revive && operation.state === 'dead' })))
    throw new QueueError(
      'cannot_edit',
      `${id} is ${operation.state}: ${
        operation.state === 'dead' && !revive
          ? 'it can only be edited to start it afresh (revive)'
          : 'only a scheduled or parked operation can be edited, or a dead one to start it afresh'
      }`,
    )
  const waited = operation.state === 'parked' && ['parameters', 'secret'].includes(operation.parkedFor)
  if (waited && params !== undefined)
    await engine.unpark([id], { by: 'edit', reason: 'its parameters were edited' })
}
