import { describe, expect, it } from 'vitest'
import { classify } from '../../classify.ts'
import messages from './system-messages.ts'

describe("a message of the operating system in the user's language", () => {
  const said = messages.flatMap(({ class: cls, when }) =>
    when.flatMap(({ says = [] }) => says.map(sentence => [sentence, cls] as const)),
  )

  it.each(said)('is understood when a program passes it on: %s', (sentence, cls) => {
    const stderr = `prog: /srv/x: ${sentence}\n`
    expect(classify({ exitCode: 1, signal: null, stdout: '', stderr })?.class).toBe(cls)
  })
})
