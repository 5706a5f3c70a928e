import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { ASKS, type Ask } from '../../test/lab/client.ts'
import type { Facts } from '../facts.ts'
import { readRequest } from '../request.ts'
import { answerOf } from './answer.ts'
import { piecesOf } from './shape.ts'
import { toolCallFor } from './tool-use.ts'

function factsOf({ path, body }: Ask, more: Record<string, unknown> = {}): Facts {
  const text = JSON.stringify({ ...body, ...more })
  const request = readRequest(7, { method: 'POST', path, headers: {}, text })
  return { request, now: Date.UTC(2026, 0, 2), waitMs: 20_000 }
}

/** The text of an answer, read like that vendor's client reads it. */
function textOf({ api }: Ask, body: string, isStream: boolean): string {
  const values = isStream ? framesOf(body) : [JSON.parse(body)].flat()
  return values.map(value => readers[api](value)).join('')
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of three vendors, read as loosely as their clients do
type Loose = any

const readers: Record<Ask['api'], (value: Loose) => string> = {
  messages: value =>
    value.delta?.text ?? value.content?.map((block: Loose) => block.text ?? '').join('') ?? '',
  chat: value => value.choices[0]?.delta?.content ?? value.choices[0]?.message?.content ?? '',
  responses: value =>
    value.type === 'response.output_text.delta'
      ? value.delta
      : value.object === 'response'
        ? value.output.map((item: Loose) => item.content?.[0]?.text ?? '').join('')
        : '',
  generate: value => value.candidates[0].content.parts.map((part: Loose) => part.text ?? '').join(''),
}

function framesOf(body: string): Loose[] {
  return body
    .split('\n\n')
    .filter(block => block !== '' && block !== 'data: [DONE]')
    .flatMap(block => block.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => JSON.parse(line.slice(6)))
}

describe.each(ASKS.map(ask => [ask.name, ask] as const))('%s', (_name, ask) => {
  it('returns any text, whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), text => {
        const { parts } = answerOf(factsOf(ask), { ends: 'stop', text })
        expect(textOf(ask, parts.join(''), ask.streams)).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  it('is the same for the same request', () => {
    const answer = { ends: 'stop', text: 'hi there' } as const
    expect(answerOf(factsOf(ask), answer)).toEqual(answerOf(factsOf(ask), answer))
  })

  it('calls a tool with input that matches its schema', () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const tools = [
      { name: 'ls', input_schema: schema, parameters: schema },
      { functionDeclarations: [{ name: 'ls', parameters: schema }] },
    ]
    const facts = factsOf(ask, { tools: ask.vendor === 'gemini' ? [tools[1]] : [tools[0]] })
    const body = answerOf(facts, { ends: 'tool', text: '', tool: toolCallFor(facts.request) }).parts.join('')
    expect(body).toContain('"ls"')
    expect(body.replaceAll('\\', '')).toContain('{"path":"."}')
  })
})

it('a stream of chat completions reports usage only if asked, and ends with [DONE]', () => {
  const ask = ASKS.find(({ name }) => name === 'chat stream') as Ask
  const plain = answerOf(factsOf(ask), { ends: 'stop', text: 'hi' }).parts
  const asked = answerOf(factsOf(ask, { stream_options: { include_usage: true } }), {
    ends: 'stop',
    text: 'hi',
  })
  expect(plain.join('')).not.toContain('total_tokens')
  expect(asked.parts.join('')).toContain('total_tokens')
  expect(plain.at(-1)).toBe('data: [DONE]\n\n')
})

it('the pieces add up to the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), text => {
      expect(piecesOf(text).join('')).toBe(text)
    }),
  )
})
