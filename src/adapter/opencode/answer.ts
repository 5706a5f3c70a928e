import { SdkError } from '../../call/sdk-error.ts'

interface Answer {
  info?: { error?: unknown; finish?: unknown }
  parts?: readonly { type?: unknown; text?: unknown }[]
}

/** Finish reasons of incomplete answers, as opencode's own errors. An incomplete answer must not count as an answer. */
const CUT: Readonly<Record<string, { name: string; data: object }>> = {
  length: {
    name: 'MessageOutputLengthError',
    data: { message: 'the answer was cut off at the output limit' },
  },
  'content-filter': { name: 'ContentFilterError', data: { message: 'a content filter cut off the answer' } },
  error: { name: 'UnknownError', data: { message: 'the answer ended with an error' } },
  unknown: { name: 'UnknownError', data: { message: 'the answer ended for an unknown reason' } },
}

/** The text of a complete answer. Throws the error of an incomplete one. */
export function textOf(data: unknown): string {
  const { info = {}, parts = [] } = (data ?? {}) as Answer
  if (info.error !== undefined && info.error !== null) throw cut(info.error)
  const fault = typeof info.finish === 'string' && Object.hasOwn(CUT, info.finish) && CUT[info.finish]
  if (fault) throw cut(fault)
  const text = parts
    .flatMap(part => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
    .trim()
  if (text === '') throw new SdkError('empty response', data)
  return text
}

function cut(error: unknown): SdkError {
  return new SdkError('the model did not answer', { info: { role: 'assistant', error }, parts: [] })
}
