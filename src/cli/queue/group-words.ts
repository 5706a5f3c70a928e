import type { AgentResult } from '../../capability/run-agent.ts'
import { hideSecrets } from '../../capability/secret/hide-secrets.ts'
import { momentInWords } from '../../daemon/words/failure-words.ts'
import { memberCounts, resultToJson } from '../../workflow/group-json.ts'
import type { GroupMember, GroupView } from '../../workflow/groups.ts'
import type { MemberResult } from '../../workflow/started-group.ts'
import { EXIT } from '../exit-code.ts'
import { tableOf } from '../print/table.ts'
import type { Terminal } from '../terminal.ts'

/** Characters shown of a prompt in a list. */
const PROMPT_WIDTH = 40
/** Most runs shown on a line each; with more, similar neighbours share a line. */
const MOST_ROWS = 20

/** A group as text: a summary, then a line for each run. */
export function groupInWords(group: GroupView, now: number): string {
  const { name, members, costUsd, maxCostUsd, maxRunning, expectedEndAt } = group
  const counts = Object.entries(memberCounts(members)).map(
    ([state, count]) => `${count} ${WORDS[state] ?? state}`,
  )
  const cost = `$${costUsd.toFixed(2)}${maxCostUsd === undefined ? '' : ` of $${maxCostUsd.toFixed(2)}`}`
  const most = maxRunning === undefined ? '' : `; at most ${maxRunning} at once`
  const end = expectedEndAt === undefined ? '' : `; expected to end ${momentInWords(expectedEndAt, now)}`
  const alike = members.length > MOST_ROWS ? alikeOf(members, now) : members.map(member => [member])
  const rows = alike.map(each => rowOf(each, now))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length))) ?? []
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const note = rows.length < members.length ? '\nSimilar runs share a line; --json lists each.\n' : ''
  return `${name}: ${counts.join(', ')}; cost so far ${cost}${most}${end}\n\n${lines.join('\n')}\n${note}`
}

/** Collects neighbours with the same state and detail: most of a hundred runs are similar. */
function alikeOf(members: readonly GroupMember[], now: number): GroupMember[][] {
  const said = ({ view }: GroupMember) =>
    view.state === 'succeeded' ? view.state : `${view.state} ${detailOf(view, now)}`
  const alike: GroupMember[][] = []
  for (const member of members) {
    const last = alike.at(-1)
    if (last?.[0] && said(last[0]) === said(member)) last.push(member)
    else alike.push([member])
  }
  return alike
}

function rowOf(alike: readonly GroupMember[], now: number): string[] {
  const [first, last] = [alike[0] as GroupMember, alike.at(-1) as GroupMember]
  const { number, view, input } = first
  const state = WORDS[view.state] ?? view.state
  if (first === last)
    return [`${number}`, state, view.operation?.id ?? '', promptOf(input), detailOf(view, now)]
  const costUsd = alike.reduce((sum, each) => sum + (each.view.operation?.costUsd ?? 0), 0)
  const detail =
    view.state === 'succeeded' ? (costUsd === 0 ? '' : `$${costUsd.toFixed(2)}`) : detailOf(view, now)
  return [`${number}–${last.number}`, state, '', `${alike.length} runs`, detail]
}

/** Groups as text, a line each. */
export function groupsInWords(groups: readonly GroupView[]): string {
  const rows = groups.map(({ name, state, members, costUsd }) => [
    name,
    state,
    `${members.length} runs`,
    Object.entries(memberCounts(members))
      .map(([each, count]) => `${count} ${WORDS[each] ?? each}`)
      .join(', '),
    `$${costUsd.toFixed(2)}`,
  ])
  return `${tableOf([['group', 'state', 'runs', 'of which', 'cost'], ...rows])}\n`
}

/** Prints the results of all runs, in the order of the inputs. Returns 0 if all succeeded. */
export function printResults(results: readonly MemberResult[], json: boolean, terminal: Terminal): number {
  for (const [index, result] of results.entries()) {
    const number = index + 1
    if (json) terminal.stdout(`${JSON.stringify(resultToJson(result, number))}\n`)
    else if (result.state === 'succeeded') terminal.stdout(`# ${number}\n${textOf(result.value)}\n`)
    else {
      const why = 'reason' in result ? result.reason : (result.waitsFor ?? '')
      terminal.stdout(`# ${number}: ${WORDS[result.state] ?? result.state}${why === '' ? '' : `: ${why}`}\n`)
    }
  }
  return results.every(({ state }) => state === 'succeeded') ? EXIT.done : EXIT.permanent
}

const WORDS: Readonly<Record<string, string>> = {
  succeeded: 'done',
  retry_pending: 'waiting to retry',
  pending: 'not started',
  ready: 'about to start',
}

function promptOf(input: unknown): string {
  const shown = hideSecrets(input, undefined)
  const { prompt } = (shown ?? {}) as { prompt?: unknown }
  const text = (typeof prompt === 'string' ? prompt : JSON.stringify(shown)).replace(/\s+/g, ' ')
  return text.length > PROMPT_WIDTH ? `${text.slice(0, PROMPT_WIDTH - 1)}…` : text
}

function detailOf({ wait, reason, operation }: GroupMember['view'], now: number): string {
  if (reason !== undefined) return reason
  const until = wait?.until === undefined ? '' : ` ${momentInWords(wait.until, now)}`
  if (wait) return `waits for ${wait.what}${until}`
  return operation === undefined || operation.costUsd === 0 ? '' : `$${operation.costUsd.toFixed(2)}`
}

/** The answer of an agent, or any other value as JSON. */
function textOf(value: unknown): string {
  const { text } = (value ?? {}) as Partial<AgentResult>
  return typeof text === 'string' ? text.trimEnd() : JSON.stringify(value)
}
