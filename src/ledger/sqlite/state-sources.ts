import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { PARK_REASONS } from '../../verdict/verdict.ts'
import type { OperationState } from '../operation.ts'
import type { Source } from './source.ts'

type Capabilities = readonly string[] | undefined

const BY_ID = { id: 'operations.id' } as const

/** Where to find the operations of a state: each state has its own index. */
export const STATE_SOURCES: Record<
  OperationState,
  (db: DatabaseSync, capabilities: Capabilities) => readonly Source[]
> = {
  scheduled: (_db, capabilities) => [
    {
      ...BY_ID,
      from: 'operations INDEXED BY operations_due',
      ...conditions(["state = 'scheduled'", 'held_by IS NULL'], [], capabilities),
      shared: { state: 'scheduled' },
      isOrderedById: false,
    },
    {
      ...BY_ID,
      from: 'operations INDEXED BY operations_held',
      ...conditions(['held_by IS NOT NULL'], [], capabilities),
      shared: { state: 'scheduled', isHeld: true },
      isOrderedById: false,
    },
  ],
  running: (_db, capabilities) => [
    {
      ...BY_ID,
      from: 'operations INDEXED BY operations_running',
      ...conditions(["state = 'running'"], [], capabilities),
      shared: { state: 'running' },
    },
  ],
  parked: (_db, capabilities) =>
    PARK_REASONS.map(reason => ({
      ...BY_ID,
      from: 'operations INDEXED BY operations_parked',
      ...conditions(['parked_for = ?'], [reason], capabilities),
      shared: { state: 'parked', parkedFor: reason },
    })),
  succeeded: (db, capabilities) => ended(db, 'succeeded', capabilities),
  dead: (db, capabilities) => ended(db, 'dead', capabilities),
}

function ended(db: DatabaseSync, state: 'succeeded' | 'dead', capabilities: Capabilities): Source[] {
  return (capabilities ?? endedCapabilities(db)).map(capability => ({
    ...BY_ID,
    from: 'operations INDEXED BY operations_ended',
    // The planner recognises that the index is enough only if the state is a literal.
    where: [`state = '${state}'`, 'capability = ?'],
    values: [capability],
    shared: { state },
  }))
}

/** The capabilities of ended operations, found by skipping through the index. */
export function endedCapabilities(db: DatabaseSync): string[] {
  const next = db.prepare(`SELECT min(capability) AS name FROM operations INDEXED BY operations_ended
    WHERE (state = 'succeeded' OR state = 'dead') AND capability > ?`)
  const names: string[] = []
  for (let name: string | null = ''; ; ) {
    name = (next.get(name) as { name: string | null }).name
    if (name === null) return names
    names.push(name)
  }
}

function conditions(
  where: readonly string[],
  values: readonly SQLInputValue[],
  capabilities: Capabilities,
): Pick<Source, 'where' | 'values'> {
  if (!capabilities) return { where, values }
  const marks = capabilities.map(() => '?').join(', ')
  return { where: [...where, `capability IN (${marks})`], values: [...values, ...capabilities] }
}
