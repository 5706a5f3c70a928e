import { describe, expect, it, vi } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import { priceOf } from './price.ts'

const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 500_000, cacheWriteTokens: 0 }
const prices = { 'gpt-5': { input: 2, output: 10, cached: 0.2 }, 'azure/gpt-5': { input: 4, output: 20 } }
const at = (model: string | undefined, provider = 'openai') => priceOf(prices, { model, provider, usage })

describe('the price of a usage', () => {
  it.each([
    ['gpt-5', 'openai', 2.1],
    ['gpt-5-2026-01-01', 'openai', 2.1],
    ['openai/gpt-5', 'openrouter', 2.1],
    ['gpt-5', 'azure', 6],
    ['gpt-5-mini', 'openai', undefined],
    [undefined, 'openai', undefined],
  ])('of %s at %s is %s', (model, provider, usd) => {
    expect(at(model, provider)).toEqual(usd === undefined ? undefined : expect.closeTo(usd))
  })

  it('is that of the longest name which the model begins with', () => {
    const table = { 'gpt-5': { input: 2, output: 2 }, 'gpt-5-2026': { input: 1, output: 1 } }
    const of = (model: string) => priceOf(table, { model, provider: 'openai', usage })
    expect([of('gpt-5-2026-01-01'), of('gpt-5-2025-01-01')]).toEqual(
      [1.1, 2.2].map(usd => expect.closeTo(usd)),
    )
  })

  it('is that of the first that knows', () => {
    const of = (model: string) =>
      priceOf([{ own: { input: 1, output: 1 } }, prices, () => 7, () => 9], { model, provider: 'x', usage })
    expect([of('own'), of('gpt-5'), of('other')]).toEqual([expect.closeTo(1.1), expect.closeTo(2.1), 7])
  })

  it.each([Number.NaN, -1, Infinity, '1'])('is unknown where a function returns %s', usd => {
    expect(priceOf(() => usd as number, { model: 'm', provider: 'x', usage })).toBeUndefined()
  })

  it('refuses a table that is none', async () => {
    await expect(call(() => 1, { prices: { m: { input: -1, output: 1 } } })).rejects.toThrow(
      /input of m must be US dollars/,
    )
  })
})

const answer = {
  model: 'gpt-5',
  choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000_000, completion_tokens: 100_000 },
}

describe('the bill of a call', () => {
  it('has usage, model and cost of each try', async () => {
    const { costUsd, attempts } = await call(() => answer, {
      prices,
      provider: 'openai',
      time: new FakeTime(),
    })
    expect(costUsd).toBe(3)
    expect(attempts).toMatchObject([
      { costUsd: 3, tokens: 1_100_000, model: 'gpt-5', usage: { inputTokens: 1_000_000 } },
    ])
  })

  it('leaves out what the work reported itself', async () => {
    const { costUsd } = await call(
      ({ charge }) => {
        charge({ usd: 1 })
        return answer
      },
      { prices },
    )
    expect(costUsd).toBe(1)
  })

  it('reads the usage of a stream at its end', async () => {
    async function* events() {
      yield {
        object: 'chat.completion.chunk',
        model: 'gpt-5',
        choices: [{ index: 0, delta: { content: 'x' } }],
      }
      yield {
        object: 'chat.completion.chunk',
        model: 'gpt-5',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      }
      yield { object: 'chat.completion.chunk', model: 'gpt-5', choices: [], usage: answer.usage }
    }
    const result = await call(() => events(), { prices, provider: 'openai', time: new FakeTime() })
    for await (const _ of result.value);
    expect(result.costUsd).toBe(3)
    expect(result.attempts[0]).toMatchObject({ costUsd: 3, usage: { outputTokens: 100_000 } })
  })

  it('delivers what is paid for, and stops the next', async () => {
    expect((await call(() => answer, { prices, maxCostUsd: 1 })).costUsd).toBe(3)
    const paid = ({ charge }: { charge: (spent: { usd: number }) => void }) => {
      charge({ usd: 3 })
      return 'paid'
    }
    expect((await call(paid, { maxCostUsd: 1 })).value).toBe('paid')
    const work = vi.fn(() => ({ ...answer, error: { type: 'overloaded_error', message: 'Overloaded' } }))
    const failed = await call(work, { prices, maxCostUsd: 1, time: new FakeTime() }).catch(error => error)
    expect(failed).toMatchObject({ failure: { kind: 'max_budget' }, costUsd: 3 })
    expect(work).toHaveBeenCalledTimes(1)
  })

  it('warns once if a limit cannot hold', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    for (let i = 0; i < 3; i++) await call(() => 'x', { maxCostUsd: 1 })
    const about = warn.mock.calls.filter(([message]) => String(message).includes('maxCostUsd'))
    warn.mockRestore()
    expect(about).toHaveLength(1)
  })
})

describe('prices that cannot be right', () => {
  it.each([
    ['a number', { m: 3 }, 'm must be {input, output}'],
    [
      'a misspelt name',
      { m: { in: 1, output: 2 } },
      'm has an unknown in; known: input, output, cached, cacheWrite',
    ],
    ['half a price', { m: { input: 1 } }, 'm needs output'],
    ['a negative amount', { m: { input: -1, output: 2 } }, 'input of m must be US dollars'],
  ])('are refused: %s', async (_, wrong, message) => {
    await expect(call(() => 'x', { prices: wrong as never })).rejects.toThrow(message)
  })
})
