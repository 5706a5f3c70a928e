import { expect, it } from 'vitest'
import { realTime } from '../time/time.ts'
import { Lookout } from './lookout.ts'

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'looks again after a change %i turns after the end of a look',
  async turns => {
    let looks = 0
    const lookout = new Lookout({
      time: realTime,
      onError: error => expect.unreachable(String(error)),
      look: async () => {
        looks += 1
      },
    })
    const first = lookout.now()
    for (let turn = 0; turn < turns; turn++) await undefined
    const seen = looks
    await lookout.now()
    expect(looks).toBeGreaterThan(seen)
    await first
    await lookout.close()
  },
)
