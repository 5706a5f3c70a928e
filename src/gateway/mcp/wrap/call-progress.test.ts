import { expect, it } from 'vitest'
import { FakeTime } from '../../../testing/core/fake-time.ts'
import { CallProgress } from './call-progress.ts'

it('reports growing progress that stays below the first progress of a server', async () => {
  const time = new FakeTime()
  const told: { progress: number; message: string }[] = []
  const toClient = (line: Buffer) => void told.push(JSON.parse(line.toString('utf8')).params)
  const progress = new CallProgress({ _meta: { progressToken: 'p' } }, toClient, time)
  progress.waiting('it is starting')
  await time.advance(5_000)
  progress.waiting('rate_limit')
  progress.stop()
  await time.advance(60_000)
  expect(told.map(({ message }) => message)).toEqual(['it is starting', 'it is starting', 'rate_limit'])
  const values = told.map(each => each.progress)
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b))
  expect(values.every(value => value < 0)).toBe(true)
})
