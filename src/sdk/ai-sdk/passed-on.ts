import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallResult } from '../../call/call-result.ts'
import { isOwnAbort } from '../own-abort.ts'
import { withAttempts } from './metadata.ts'

type Parts = ReadableStream<LanguageModelV4StreamPart>
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/**
 * The stream for the SDK: metadata in its last part, and a failure both as a part, which reaches a browser, and as the end of the
 * stream, which nobody can overlook. The last part waits for the end, because only then it is known what the answer cost.
 * @param signal by which the client aborts; that is no failure
 */
export function passedOn(result: CallResult<Parts>, signal?: AbortSignal): Parts {
  const reader = result.value.getReader()
  let last: FinishPart | undefined
  let failed: { error: unknown } | undefined
  const finish = (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>) => {
    if (last) controller.enqueue({ ...last, providerMetadata: withAttempts(last.providerMetadata, result) })
    last = undefined
  }
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        if (failed) return controller.error(failed.error)
        try {
          let { done, value: part } = await reader.read()
          if (part?.type === 'finish') {
            last = part
            ;({ done, value: part } = await reader.read())
          }
          finish(controller)
          if (done) controller.close()
          else controller.enqueue(part as LanguageModelV4StreamPart)
        } catch (error) {
          finish(controller)
          if (isOwnAbort(error, signal)) return controller.error(error)
          failed = { error }
          controller.enqueue({ type: 'error', error })
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** A stream that only fails. */
export function failing(error: unknown): Parts {
  const value: Parts = new ReadableStream({ start: controller => controller.error(error) })
  return passedOn({ value, attempts: [], costUsd: null })
}
