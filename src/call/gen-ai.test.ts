import { expect, it } from 'vitest'
import { genAiAttributes } from './gen-ai.ts'

it.each([
  [{ model: 'claude-opus-5' }, 'chat'],
  [{ model: 'text-embedding-3-small' }, 'embeddings'],
  [{ model: 'mistral-embed' }, 'embeddings'],
  [{ provider: 'claude', isAgent: true }, 'invoke_agent'],
])('names what %j was asked for', (work, operation) => {
  expect(genAiAttributes(work)['gen_ai.operation.name']).toBe(operation)
})
