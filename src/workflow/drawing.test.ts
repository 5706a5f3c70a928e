import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeChecked } from '../../test/work.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { Graph } from './graph.ts'
import { mermaidOf } from './mermaid.ts'
import { runInWords } from './run-words.ts'
import { Workflows } from './workflows.ts'

let queue: OpenedQueue
beforeEach(async () => {
  ;({ queue } = await testQueue())
})
afterEach(() => closeChecked(queue))

const ask = (id: string, ...after: string[]) => ({ id, ask: `${id}?`, after })

it('draws a step below its last dependency, and lists the others', async () => {
  const workflow = defineWorkflow({
    name: 'w',
    steps: [ask('a'), ask('b', 'a'), ask('other'), ask('c', 'b'), ask('d', 'a'), ask('e', 'c', 'other')],
  })
  const run = await queue.start(workflow, {})
  const lines = runInWords(await run.show(), queue.time.now(), String)
  const drawn = lines.filter(line => / (waiting|pending): /.test(line) && line !== lines[0])
  expect(drawn.map(line => line.replace(/ (waiting|pending): waits for/, ''))).toEqual([
    'a        an answer',
    '├─b      a',
    '│ └─c    b',
    '│   └─e  c, other',
    '└─d      a',
    'other    an answer',
  ])
  await run.cancel()
})

it('keeps a question on its line, so that it cannot pass for a step', async () => {
  const workflow = defineWorkflow({
    name: 'w',
    steps: [{ id: 'a', ask: 'Go?\nOK b  \u001b[32msucceeded\u202e' }],
  })
  const run = await queue.start(workflow, {})
  const lines = runInWords(await run.show(), queue.time.now(), String)
  expect(lines[3]).toBe('     asks: Go? OK b succeeded')
  await run.cancel()
})

it('says who skipped a step once, and how to continue a cancelled run', async () => {
  const run = await queue.start(defineWorkflow({ name: 'w', steps: [ask('a'), ask('b')] }), {})
  const workflows = new Workflows(queue)
  await workflows.skip(run.id, 'a', { by: 'ann' })
  await workflows.cancel(run.id, { by: 'bob', reason: 'enough' })
  const [head, , ...lines] = runInWords(await run.show(), queue.time.now(), String)
  expect(head).toContain('cancelled by bob: enough')
  expect(lines).toEqual([
    'a  skipped by ann',
    'b  skipped: the run was cancelled',
    '',
    `to continue it: mulligan workflow retry ${run.id}`,
  ])
})

it('a chart keeps every character of names and questions', () => {
  const plan = defineWorkflow({
    name: 'w',
    steps: [
      { id: 'q', ask: 'Is "a" <b> & `c` #1; {x}?\nYes?' },
      { id: 'r', run: 'x', when: 'results.q != 1' },
    ],
  }).plan
  expect(mermaidOf(new Graph(plan), ['waiting', 'pending']).split('\n').slice(0, 4)).toEqual([
    'flowchart TD',
    '  s0{{"q<br/>ask: Is #34;a#34; #60;b#62; #38; #96;c#96; #35;1; {x}? Yes?<br/>waiting"}}:::waiting',
    '  s1["r<br/>run: x when results.q != 1<br/>pending"]:::pending',
    '  s0 -.-> s1',
  ])
})
