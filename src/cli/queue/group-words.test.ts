import { expect, it } from 'vitest'
import type { GroupMember, GroupView } from '../../workflow/groups.ts'
import { groupInWords } from './group-words.ts'

const NOW = Date.UTC(2026, 0, 1)
const member = (number: number, view: object, prompt = `task ${number}`): GroupMember =>
  ({
    number,
    run: 'wf_1',
    view: { step: { id: `run_${number}` }, ...view },
    input: { prompt },
  }) as GroupMember
const groupOf = (members: readonly GroupMember[]): GroupView => ({
  name: 'g',
  state: 'running',
  members,
  costUsd: 0,
})
const done = (number: number) =>
  member(number, { state: 'succeeded', operation: { id: `op_${number}`, costUsd: number / 100 } })
const held = (number: number) =>
  member(number, { state: 'waiting', wait: { what: 'the provider claude', until: NOW + 3_600_000 } })

it('shows few runs on a line each', () => {
  expect(
    groupInWords(groupOf([done(1), done(2), held(3)]), NOW),
  ).toBe(`g: 2 done, 1 waiting; cost so far $0.00

1  done     op_1  task 1  $0.01
2  done     op_2  task 2  $0.02
3  waiting        task 3  waits for the provider claude 2026-01-01T01:00:00Z (in 1 h)
`)
})

it('shows similar neighbours on one line if there are many runs', () => {
  const failed = member(40, {
    state: 'failed',
    reason: 'refused: no',
    operation: { id: 'op_40', costUsd: 0 },
  })
  const members = Array.from({ length: 100 }, (_, index) => (index < 39 ? done(index + 1) : held(index + 1)))
  members[39] = failed
  expect(groupInWords(groupOf(members), NOW)).toBe(`g: 39 done, 1 failed, 60 waiting; cost so far $0.00

1–39    done            39 runs  $7.80
40      failed   op_40  task 40  refused: no
41–100  waiting         60 runs  waits for the provider claude 2026-01-01T01:00:00Z (in 1 h)

Similar runs share a line; --json lists each.
`)
})

it('hides a secret in a prompt', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  expect(groupInWords(groupOf([member(1, { state: 'ready' }, `use ${secret}`)]), NOW)).not.toContain(
    secret.slice(0, 20),
  )
})
