import { family } from '../rule.ts'
import { printed } from './shapes.ts'

const refused = (code: string) =>
  printed(`error: failed to run prompt: ${code}: no\nSee log: /root/.kimi/kimi.log`)

/** Kimi CLI and Kimi Code: dotted codes in a sentence, and an exit code for what may be tried again. */
export default family('kimi_cli', {
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'its codes for a login that is missing, expired or refused',
    when: { says: ['run prompt (provider auth error|auth)'] },
    example: refused('auth.token_missing'),
  },
  provider: {
    kind: 'server_error',
    rank: 'hint',
    why: 'its code for everything else that the provider answered; a status beside it knows more',
    when: { says: ['run prompt provider api error'] },
    example: refused('provider.api_error'),
  },
  model_settings: {
    kind: 'config',
    rank: 'cause',
    why: 'no model is chosen',
    when: { says: ['model not configured', 'llm not set'] },
    example: refused('model.not_configured'),
  },
  filtered: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its code for an answer that a filter held back',
    when: { says: ['run prompt provider filtered'] },
    example: refused('provider.filtered'),
  },
  try_again: {
    kind: 'server_error',
    rank: 'last',
    why: 'exit 75 stands for limits and outages alike, wherever the text says no more',
    when: { code: ['exit=75'], also: ['agent=kimi'] },
    example: { exitCode: 75, signal: null, stdout: '', stderr: 'To resume this session: kimi -r 5a0c1b2e' },
  },
})
