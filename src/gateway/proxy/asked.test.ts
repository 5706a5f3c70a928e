import { describe, expect, it } from 'vitest'
import { askedOf, urlOf } from './asked.ts'

describe('what a request asks', () => {
  it.each([
    ['POST', '/v1/messages', {}, 'anthropic', true],
    ['POST', '/v1/messages/count_tokens?beta=true', {}, 'anthropic', true],
    ['POST', '/v1/messages/batches', {}, 'anthropic', false],
    ['POST', '/v1/responses', {}, 'openai', true],
    ['POST', '/v1/responses/resp_1/cancel', {}, 'openai', false],
    ['GET', '/v1/responses', {}, 'openai', false],
    ['POST', '/openai/v1/chat/completions', {}, 'openai', true],
    ['POST', '/openai/chat/completions', {}, 'openai', true],
    ['POST', '/v1beta/models/gemini-3:streamGenerateContent?alt=sse', {}, 'gemini', true],
    ['POST', '/v1beta/models/gemini-3:predict', {}, 'gemini', false],
    ['GET', '/v1/models', { 'anthropic-version': '2023-06-01' }, 'anthropic', false],
    ['GET', '/v1/models', { authorization: 'Bearer k' }, 'openai', false],
    ['GET', '/gemini', {}, 'gemini', false],
  ] as const)('%s %s', (method, target, headers, api, isQuestion) => {
    expect(askedOf(method, target, headers)).toMatchObject({ api, isQuestion })
  })

  it('is below the name of its API', () => {
    expect(askedOf('POST', '/anthropic/v1/messages?beta=true', {}).path).toBe('/v1/messages?beta=true')
    expect(askedOf('GET', '/anthropic', {}).path).toBe('/')
    expect(askedOf('GET', '/anthropical', {}).path).toBe('/anthropical')
  })

  it.each([
    '//evil.example/x',
    '/\\evil.example/x',
    '/\t/evil.example/x',
    '/anthropic//evil.example/x',
    '/anthropic/../x',
    '/@evil.example/x',
    '//',
  ])('is asked of no host that the path names: %j', target => {
    expect(urlOf(askedOf('GET', target, {})).host).toBe('client.invalid')
  })
})
