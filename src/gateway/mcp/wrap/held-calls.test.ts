import { expect, it } from 'vitest'
import { readMessage, resultLine } from '../json-rpc.ts'
import { HeldCalls } from './held-calls.ts'
import type { Request } from './translate.ts'

const { signal } = new AbortController()
const call = (id: number, params: Record<string, unknown> = {}): Request => ({
  type: 'request',
  id,
  method: 'tools/call',
  params: { name: 'pay', ...params },
})
const QUESTION: Request = { type: 'request', id: 'q', method: 'elicitation/create', params: {} }
const resultOf = (line: Buffer | undefined) => {
  const message = readMessage(line as Buffer)
  return (message.type === 'response' ? message.result : undefined) as Record<string, unknown>
}

it('returns the result of a call that ended before its client answered, and does not start it again', async () => {
  const calls = new HeldCalls(() => {})
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  let begun = 0
  const begin = () => {
    begun++
    return promise
  }
  const asked = calls.answered(call(1), signal, begin)
  calls.ask(QUESTION)
  const { requestState } = resultOf(await asked)
  resolve(resultLine(1, '{"content":[],"isError":true}'))
  await promise
  const late = await calls.answered(call(2, { requestState, inputResponses: {} }), signal, begin)
  expect(readMessage(late as Buffer)).toMatchObject({ id: 2, result: { isError: true } })
  expect(begun).toBe(1)
})

it('says that a call with an unknown state may have happened, and does not start it', async () => {
  const calls = new HeldCalls(() => {})
  const begin = () => expect.fail('it was begun again')
  const answer = await calls.answered(call(1, { requestState: 'mulligan:1' }), signal, begin)
  expect(resultOf(answer)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('It may have happened') }],
  })
})

it('asks no client on behalf of a call that has ended', async () => {
  const refused: string[] = []
  const calls = new HeldCalls(line => refused.push(line.toString()))
  await calls.answered(call(1), signal, async () => resultLine(1, '{}'))
  calls.ask(QUESTION)
  expect(refused).toEqual([expect.stringContaining('the client cannot be asked anything now')])
})
