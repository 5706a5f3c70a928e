import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import { group, memberResult } from './group-shape.ts'
import type { GroupMember, GroupView } from './groups.ts'
import type { MemberResult } from './started-group.ts'

const writeGroup = jsonWriter(group)
const writeResult = jsonWriter(memberResult)

/** Converts a group to JSON. */
export function groupToJson({ members, ...view }: GroupView) {
  return writeGroup({ ...view, counts: memberCounts(members), runs: members.map(memberOf) })
}

function memberOf({ number, run, view: { step, state, wait, reason, operation }, input }: GroupMember) {
  return {
    ...operation,
    number,
    workflowRun: run,
    step: step.id,
    state,
    operation: operation?.id,
    waitsFor: wait?.what,
    until: wait?.until,
    reason,
    params: hideSecrets(input, undefined),
  }
}

/** Converts the result of one run of a group to JSON. */
export function resultToJson(given: MemberResult, number: number) {
  if (given.state !== 'succeeded') return writeResult({ ...given, number })
  const { state, value, cut } = given
  return writeResult({ number, state, result: hideSecrets(value, undefined), resultCut: cut })
}

/** Number of runs in each state. */
export function memberCounts(members: readonly GroupMember[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { view } of members) counts[view.state] = (counts[view.state] ?? 0) + 1
  return counts
}
