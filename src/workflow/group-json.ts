import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import { timeToJson } from '../time/time-json.ts'
import type { GroupMember, GroupView } from './groups.ts'
import type { MemberResult } from './started-group.ts'

/** Converts a group to JSON. */
export function groupToJson({
  name,
  state,
  members,
  costUsd,
  maxCostUsd,
  maxRunning,
  expectedEndAt,
}: GroupView): Record<string, unknown> {
  return {
    name,
    state,
    cost_usd: costUsd,
    ...(maxCostUsd === undefined ? {} : { max_cost_usd: maxCostUsd }),
    ...(maxRunning === undefined ? {} : { max_running: maxRunning }),
    ...(expectedEndAt === undefined ? {} : { expected_end_at: timeToJson(expectedEndAt) }),
    counts: memberCounts(members),
    runs: members.map(memberToJson),
  }
}

function memberToJson({ number, run, view, input }: GroupMember): Record<string, unknown> {
  const { state, wait, reason, operation } = view
  return {
    number,
    workflow_run: run,
    step: view.step.id,
    state,
    ...(operation
      ? {
          operation: operation.id,
          cost_usd: operation.costUsd,
          attempts: operation.attempts,
          ...(operation.agentSession === undefined ? {} : { agent_session: operation.agentSession }),
          ...(operation.folder === undefined ? {} : { folder: operation.folder }),
        }
      : {}),
    ...(wait ? { waits_for: wait.what } : {}),
    ...(wait?.until === undefined ? {} : { until: timeToJson(wait.until) }),
    ...(reason === undefined ? {} : { reason }),
    params: hideSecrets(input, undefined),
  }
}

/** Converts the result of one run of a group to JSON. */
export function resultToJson(result: MemberResult, number: number): Record<string, unknown> {
  if (result.state === 'succeeded')
    return {
      number,
      state: result.state,
      result: hideSecrets(result.value, undefined),
      ...(result.cut ? { result_cut: true } : {}),
    }
  if ('reason' in result) return { number, state: result.state, reason: result.reason }
  return {
    number,
    state: result.state,
    ...(result.waitsFor === undefined ? {} : { waits_for: result.waitsFor }),
    ...(result.until === undefined ? {} : { until: timeToJson(result.until) }),
  }
}

/** Number of runs in each state. */
export function memberCounts(members: readonly GroupMember[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { view } of members) counts[view.state] = (counts[view.state] ?? 0) + 1
  return counts
}
