import type { Changes } from '../ledger/ledger.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { existing } from './result.ts'
import { checkSize, jsonText } from './size.ts'
import { admittedParams, timeOf } from './submission.ts'

/** Changes to a waiting or parked operation. What is not given stays as it is. */
export interface EditOptions {
  /** All of its parameters. Sealed values may be passed back as they are stored. */
  params?: unknown
  /** Integer from -10 to 10; higher ones are run first. */
  priority?: number
  /** Epoch milliseconds or a date before which it is not run. */
  at?: number | Date
  /** Change parameters although this process does not know the capability: nothing is checked, no secret sealed. Default false. */
  unchecked?: boolean
}

/** Changes an operation that does not run. One that is parked for its parameters goes on. */
export async function edit(
  deps: QueueDeps,
  id: string,
  { params, priority, at, unchecked = false }: EditOptions,
): Promise<void> {
  const { engine, registry } = deps
  const operation = await existing(deps, id)
  const capability = registry.get(operation.capability)
  if (params !== undefined && !capability && !unchecked)
    throw new QueueError(
      'unknown_capability',
      `the parameters of ${id} cannot be checked: there is no capability ${JSON.stringify(operation.capability)} here`,
    )
  checkSize('the parameters', operation.capability, jsonText(params), deps.settings.maxParamsBytes)
  const changes: Changes = {
    ...(params === undefined
      ? {}
      : { params: capability ? (await admittedParams(deps, capability, params)).params : params }),
    ...(priority === undefined ? {} : { priority }),
    ...(at === undefined ? {} : { dueAt: timeOf(at) }),
  }
  if (!(await engine.edit(id, changes)))
    throw new QueueError(
      'cannot_edit',
      `${id} is ${operation.state}: only a scheduled or parked operation can be edited`,
    )
  const waited = operation.state === 'parked' && ['parameters', 'secret'].includes(operation.parkedFor)
  if (waited && params !== undefined)
    await engine.unpark([id], { by: 'edit', reason: 'its parameters were edited' })
}
