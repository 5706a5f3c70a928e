import type { Cli } from './cli.ts'

/** Any other program. Nothing is known about it: the prompt goes to stdin, and the answer is its output. */
export const command: Cli = {
  name: 'command',
  binary: '',
  promptBy: 'stdin',
  tellsCost: false,
  minVersion: '0.0.0',
  install: 'install the program, or give its path as binary',
  loginCommand: 'as the program requires',
  takes: {},
  argv: ({ given }) => [...given],
  env: () => ({}),
  login: async () => ({ state: 'unsure', why: 'nothing is known about this program' }),
}
