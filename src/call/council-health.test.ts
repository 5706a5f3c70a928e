import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { council } from './council.ts'
import type { CouncilMember } from './council-options.ts'

const MODELS = ['opus', 'sonnet', 'haiku']
const REFUSED = { status: 401, message: 'invalid x-api-key' }
const LIMITED = { status: 429, message: 'You have reached your weekly usage limit' }
const OVERLOADED = { status: 529, message: 'Overloaded' }

/** A council of three models of one provider, after another with the same health. */
function councils() {
  const time = new FakeTime()
  const gate = new Health({ time })
  const asked: string[] = []
  const hold = async (errors: Readonly<Record<string, unknown>>) => {
    asked.length = 0
    const members = MODELS.map(
      (model): CouncilMember<string> => ({
        name: model,
        provider: 'anthropic',
        model,
        ask: async () => {
          asked.push(model)
          if (errors[model] !== undefined) throw errors[model]
          return 'fine'
        },
      }),
    )
    const options = { prompt: 'review this', time, health: gate, random: () => 0.999 }
    return time.until(council(members, options).catch((error: unknown) => error as Error))
  }
  return { time, asked, hold }
}

describe('the councils after one with a refused member', () => {
  it.each([
    ['login', REFUSED],
    ['limit', LIMITED],
  ])(
    'ask the others: a refused %s counts for its model, until a second model is refused',
    async (_what, error) => {
      const { asked, hold } = councils()
      await hold({ opus: error })
      await hold({})
      expect([...asked].sort()).toEqual(['haiku', 'sonnet'])
      await hold({ sonnet: error })
      await hold({})
      expect(asked).toEqual([])
    },
  )

  it('say until when nobody can be asked, and what to do', async () => {
    const { hold } = councils()
    await hold({ opus: REFUSED, sonnet: REFUSED, haiku: REFUSED })
    const failed = await hold({})
    expect((failed as Error).message).toMatch(
      /Log in again, then: mulligan providers reset anthropic.*; it is asked again from 20\d\d-\d\d-\d\dT[\d:.]+Z on, or once anthropic is reset/,
    )
  })

  it('ask a refused model again after a while', async () => {
    const { time, asked, hold } = councils()
    await hold({ opus: REFUSED })
    await time.advance(61_000)
    await hold({})
    expect([...asked].sort()).toEqual([...MODELS].sort())
  })
})

describe('the retry of a member', () => {
  it('comes within 2 s, however often earlier councils met the same', async () => {
    const { time, asked, hold } = councils()
    for (let n = 0; n < 30; n++) await hold({ opus: OVERLOADED, sonnet: OVERLOADED, haiku: { status: 429 } })
    const from = time.now()
    await hold({ opus: OVERLOADED })
    expect(asked.filter(model => model === 'opus')).toHaveLength(2)
    expect(time.now() - from).toBeLessThanOrEqual(2_000)
  })
})
