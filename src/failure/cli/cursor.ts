import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, printed } from './shapes.ts'

/** Cursor CLI. Prints a stream like Claude Code's. */
export const cursor: AgentProfile = {
  name: 'cursor',
  names: ['cursor', 'cursor-agent', 'cursor-cli'],
  isOwnEvent,
  endsWithEvent: true,
  failsOnStderr: true,
  sessionField: 'session_id',
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.has('request_id')) return true
  return /^(?:env|flag|login)$/.test(event.text('apiKeySource') ?? '') && !event.has('tools')
}

/** Cursor CLI, when it asks a question without a terminal. */
export const rules: ProfileRules = () =>
  family('cursor', {
    trust: {
      kind: 'config',
      rank: 'cause',
      why: 'it asks whether to trust the folder, but has no terminal',
      when: { says: ['workspace trust required', 'trust this (workspace|folder|directory)'] },
      example: printed('Workspace Trust Required: pass --trust to run in this directory'),
    },
  })

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: {
    ...printed('Workspace Trust Required: pass --trust to run in this directory'),
    class: 'permanent',
    kind: 'config',
  },
})
