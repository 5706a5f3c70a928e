import { family } from '../rule.ts'
import { lines, printed } from './shapes.ts'

/** CLIs whose parser of arguments exits with 2 and nothing else does. */
const EXITS_TWO = ['codex', 'droid', 'swe-agent', 'crush', 'goose', 'kimi', 'aider', 'openhands']

/** What several agent CLIs have in common. */
export default family('agent', {
  cut_off: {
    kind: 'stream_cut',
    rank: 'hint',
    why: 'a stream of events without its last one, and exit code 0: the run did not end by itself; who stops one knows it',
    when: { code: ['ended=cut_off'] },
    example: {
      ...lines({ type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: '2.1.0' }),
      exitCode: 0,
    },
  },
  called_wrongly: {
    kind: 'config',
    rank: 'last',
    why: 'exit 2 comes from its parser of arguments',
    when: EXITS_TWO.map(agent => ({ code: ['exit=2'], also: [`agent=${agent}`] })),
    example: printed('', 2),
    exampleProvider: 'codex',
  },
  called_without: {
    kind: 'config',
    rank: 'cause',
    why: 'a prompt, a provider or a flag that goes with another one is missing, or the flag is refused here',
    when: {
      says: [
        '(input|prompt) must be provided',
        'no provider configured',
        'stream json requires verbose',
        'cannot be used with root',
        'invalid mcp (configuration|config)',
        'permission prompt tool … not found',
      ],
    },
    example: printed(
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
    ),
  },
  approval: {
    kind: 'config',
    rank: 'cause',
    effect: 'maybe',
    why: 'a tool needed an approval that nobody can give without a terminal',
    when: { says: ['(tool|tools) (require|requires) … approval', 'requires approval … non interactive'] },
    example: printed(
      'Error: The following tools require user approval, which is not supported in stream JSON mode: Bash',
    ),
  },
})
