import { family } from '../rule.ts'
import { printed } from './shapes.ts'

/** Cursor CLI, where it asks somebody who is not there. */
export default family('cursor', {
  trust: {
    kind: 'config',
    rank: 'cause',
    why: 'it asks whether the folder is trusted, and nobody can answer',
    when: { says: ['workspace trust required', 'trust this (workspace|folder|directory)'] },
    example: printed('Workspace Trust Required: pass --trust to run in this directory'),
  },
})
