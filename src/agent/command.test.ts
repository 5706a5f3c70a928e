import { expect, it } from 'vitest'
import { lastStart, running } from '../../test/agent/runs.ts'

it('passes a command its prompt as an argument if its provider says so, otherwise on stdin', async () => {
  const settings = (args: string[]) => ({
    cli: 'command' as const,
    settings: { args },
    request: { prompt: '--force $& {prompt} it' },
  })
  await running(`say('done')`, settings(['-p', '{prompt}', '--title={prompt}']))
  expect(lastStart('command')).toMatchObject({
    // A text that begins with a dash gets a space, so it is not taken for an option.
    args: ['-p', ' --force $& {prompt} it', '--title=--force $& {prompt} it'],
    input: '',
  })
  await running(`say('done')`, settings(['run']))
  expect(lastStart('command')).toMatchObject({ args: ['run'], input: '--force $& {prompt} it' })
})
