import { expect, it } from 'vitest'
import { sessionOf } from './session.ts'

it.each([
  ['a header', { 'x-claude-code-session-id': 'one' }, {}, 'one'],
  ['the header of Codex', { session_id: '0199-a' }, { prompt_cache_key: 'other' }, '0199-a'],
  ['the end of a user id', {}, { metadata: { user_id: 'user_1_account__session_12-ab' } }, '12-ab'],
  ['a user id in JSON', {}, { metadata: { user_id: '{"device_id":"d","session_id":"s-1"}' } }, 's-1'],
  ['the key of a cache', {}, { prompt_cache_key: 'k' }, 'k'],
  ['nothing', {}, { metadata: { user_id: 'me' } }, undefined],
  ['something that is no name', { session_id: 'a b\n' }, undefined, undefined],
])('a session is named by %s', (_how, headers, json, expected) => {
  expect(sessionOf(headers, json)).toBe(expected)
})
