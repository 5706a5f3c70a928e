import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type LabOptions, startLab } from '../../lab/index.ts'
import { processHealth } from '../../src/call/process-health.ts'

// The examples with the real packages. The first vendor fails, the second answers; both are the lab.
const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, '.examples')
beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The SDK reads its addresses once, so both vendors keep their ports. */
const ports = [0, 0]
const labs: Awaited<ReturnType<typeof startLab>>[] = []
async function vendors(...options: LabOptions[]) {
  for (const [at, one] of options.entries()) {
    const lab = await startLab({ ...one, port: ports[at] as number })
    ports[at] = Number(new URL(lab.url).port)
    labs.push(lab)
  }
  return labs as [(typeof labs)[0], (typeof labs)[0]]
}
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close()
  for (const provider of ['anthropic', 'openai']) await processHealth.reset(provider)
})

async function example(name: string, anthropicUrl: string, openaiUrl: string) {
  for (const key of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) vi.stubEnv(key, 'k')
  vi.stubEnv('ANTHROPIC_BASE_URL', `${anthropicUrl}/v1`)
  vi.stubEnv('OPENAI_BASE_URL', openaiUrl)
  const file = join(folder, name)
  const source = readFileSync(join(root, 'examples/sdk', name), 'utf8')
  writeFileSync(file, source.replace('@mulligan/core/ai-sdk', join(root, 'src/sdk/ai-sdk/index.ts')))
  return import(file)
}

it('the chat route streams from the second vendor', async () => {
  const [bad, good] = await vendors(
    { script: [{ fault: 'billing', times: 'always' }] },
    { answer: 'forty-two' },
  )
  const { POST } = await example('chat-route.js', bad.url, good.openaiUrl)
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'x' }] }]
  const response: Response = await POST(
    new Request('http://a.test', { method: 'POST', body: JSON.stringify({ messages }) }),
  )
  expect(await response.text()).toContain('forty-two')
})

it('the batch job asks the cheaper first, and says what it cost', async () => {
  const [dear, cheap] = await vendors({}, { answer: 'forty-two' })
  const { answerAll } = await example('batch-job.js', dear.url, cheap.openaiUrl)
  const { answers, usd, left } = await answerAll(['a', 'b', 'c'])
  expect([...answers.values()]).toEqual(Array(3).fill({ text: 'forty-two' }))
  expect(left).toEqual([])
  expect(usd).toBeGreaterThan(0)
  expect(dear.requests).toHaveLength(0)
})

it('the agent orders once, although the model fails after it', async () => {
  const ordered: string[] = []
  const answer = () =>
    ordered.length === 0
      ? { ends: 'tool' as const, text: '', tool: { name: 'order', input: { item: 'tea' } } }
      : { ends: 'stop' as const, text: 'done' }
  const [bad, good] = await vendors(
    { script: [{ after: 1, fault: 'billing', times: 'always' }], answer },
    { answer },
  )
  const { shop } = await example('agent.js', bad.url, good.openaiUrl)
  expect(await shop('buy tea', (item: string) => ordered.push(item))).toEqual({ text: 'done', steps: 2 })
  expect(ordered).toEqual(['tea'])
})
