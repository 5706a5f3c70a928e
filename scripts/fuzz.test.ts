import { expect, it } from 'vitest'
import { fuzz, TARGETS } from './fuzz.ts'

/** Few of each: `npm run fuzz` tries a million. */
const CASES: Readonly<Record<string, number>> = { http: 40, 'mcp-server': 40 }

it.each(TARGETS)('%s withstands random input', async name => {
  await expect(fuzz(name, { cases: CASES[name] ?? 300, seed: 1 })).resolves.toBeUndefined()
})
