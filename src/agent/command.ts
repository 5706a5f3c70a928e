import type { Cli } from './cli.ts'

/** Any other program. Nothing is known of it: the prompt goes in by stdin, the answer is what it prints. */
export const command: Cli = {
  name: 'command',
  binary: '',
  promptBy: 'stdin',
  tellsCost: false,
  minVersion: '0.0.0',
  install: 'install the program, or give its path as binary',
  loginCommand: 'whatever the program needs',
  takes: {},
  argv: ({ given }) => [...given],
  env: () => ({}),
  login: async () => ({ state: 'unsure', why: 'nothing is known of this program' }),
}
