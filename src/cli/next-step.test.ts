import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { wayOnInWords } from '../daemon/words/operation-words.ts'
import { resultFor } from '../gateway/mcp/wrap/result-tool.ts'
import type { ParkedOperation } from '../ledger/operation.ts'
import { messageOf } from '../notice/message-of.ts'
import { NoticeMaker } from '../notice/notice-maker.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { nextStepFor, type ProviderNeed } from '../provider/next-step.ts'
import { handedOverToJson } from '../queue/hand-over-json.ts'
import { type HandedOver, isHandedOver } from '../queue/run-result.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import { providerInDetail, providersInWords } from './operate/provider-words.ts'

it.each([
  ['login', 'auth'],
  ['payment', 'billing'],
] as const)(
  'for a %s, every place names the same next step, of the provider that refused it',
  async (need: ProviderNeed, kind) => {
    const time = new FakeTime()
    const health = new Health({ providers: [{ id: 'busy' }, { id: 'claude' }], time, random: () => 0 })
    const limit = { kind: 'usage_limit', effect: 'none', resetAt: time.now() + 86_400_000 } as const
    const { capability } = scriptedCapability({
      name: 'work',
      pool: ['busy', 'claude'],
      script: [{ fails: limit }, { fails: kind }],
    })
    const { queue } = await testQueue({ capabilities: [capability], time, health })
    await using _ = { [Symbol.asyncDispose]: () => queue.close() }
    const { ledger } = queue
    const told = await time.until(queue.run('work', {}, { session: 'agent' }))
    expect(isHandedOver(told)).toBe(true)
    const { operationId: id } = told
    const operation = (await ledger.get(id)) as ParkedOperation
    expect(operation).toMatchObject({ state: 'parked', parkedFor: need })
    const attempts = await ledger.attempts(id)
    const providers = await queue.health.status()
    const refused = providers.find(status => status.id === 'claude')
    if (!refused) throw new Error('the provider is not listed')
    await new NoticeMaker({ ledger, time }).catchUp()
    const notices = (await ledger.notices({}, { limit: 10 })).items
    const inbox = notices.filter(({ session }) => session === 'agent')
    const [forPeople] = notices.filter(({ session }) => session === undefined)
    if (!forPeople) throw new Error('nobody is told')

    const places: Record<string, string> = {
      'providers ls, status': providersInWords(providers, time.now()),
      'providers show': providerInDetail(refused, time.now()),
      'queue.run': (told as HandedOver).retryHint,
      'what MCP tells an agent to tell the user': String((told as HandedOver).nextStep),
      'run --json, HTTP': JSON.stringify(handedOverToJson(told as HandedOver)),
      'ops show': wayOnInWords(operation, attempts),
      inbox: inbox.map(({ body }) => body).join('\n'),
      surfaces: messageOf('1', [forPeople]).text,
      'the result of a wrapped call': JSON.stringify(
        resultFor(
          { state: 'pending', operation },
          attempts,
          () => ({ at: undefined, sentence: '' }) as never,
        ),
      ),
      'a call that is refused meanwhile': String(refused.failure?.message),
    }
    const step = nextStepFor(need, 'claude')
    expect(Object.keys(places).filter(place => !places[place]?.includes(step))).toEqual([])
  },
)

it('is what the shipped alert about a refused login says', () => {
  const alerts = readFileSync(
    new URL('../../examples/prometheus/mulligan-alerts.yml', import.meta.url),
    'utf8',
  )
  expect(alerts).toContain(nextStepFor('login', 'PROVIDER').replace('PROVIDER', '{{ $labels.provider }}'))
})
