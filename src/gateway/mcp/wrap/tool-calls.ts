import { type CallFailed, isCallFailed } from '../../../call/call-failed.ts'
import { classify } from '../../../failure/classify.ts'
import type { Failure } from '../../../failure/failure.ts'
import { present } from '../../../failure/present.ts'
import { realTime, type Time } from '../../../time/time.ts'
import type { Verdict } from '../../../verdict/verdict.ts'
import { metaOf } from '../era.ts'
import { isObject } from '../json-rpc.ts'
import { type Decided, failedAnswer, sentenceFor, withVerdict } from './answers.ts'
import type { Bridge } from './bridge.ts'
import type { CallNames, CallParams } from './call-capability.ts'
import { CallProgress } from './call-progress.ts'
import { wantsInput } from './client-input.ts'
import { type Deferral, mayBeDeferred } from './deferral.ts'
import { ExchangeFailed, exchange } from './exchange.ts'
import type { Lists } from './lists.ts'
import { NeedsInput } from './needs-input.ts'
import { answeredOf, type Requests } from './requests.ts'
import type { ToolPolicy } from './tool-policy.ts'
import type { Request } from './translate.ts'
import { ownRequest, type Written } from './translate.ts'

/** Dependencies of the tool calls of one server. */
export interface ToolCallsDeps {
  bridge: Bridge
  requests: Requests
  lists: Lists
  names: CallNames
  /** Stores calls for later; undefined if they cannot be stored. */
  deferral: Deferral | undefined
  toClient: (line: Buffer) => void
  time?: Time
}

/** Tool calls of one server: each gets an answer, which says what is known about a failed call. */
export class ToolCalls {
  readonly #deps: ToolCallsDeps
  readonly #time: Time

  constructor(deps: ToolCallsDeps) {
    this.#deps = deps
    this.#time = deps.time ?? realTime
  }

  /** Answers a client's call; undefined if the client has given it up. */
  async call(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { requests, lists, bridge, toClient } = this.#deps
    const { message } = given
    const { params } = message
    const tool = typeof params?.name === 'string' ? params.name : ''
    const askedAt = this.#time.monotonic()
    await lists.knowTools(signal)
    const waitedMs = this.#time.monotonic() - askedAt
    const policy = lists.policyOf(tool)
    const progress = new CallProgress(params, toClient, this.#time)
    const isRepeatable = policy.retry === 'replay'
    try {
      const asking = { limits: requests.limits(tool), isRepeatable, waitedMs, progress }
      const written = { ...given, headers: lists.headersOf(tool, params?.arguments) }
      return bridge.answer(await requests.ask(written, asking, signal), message)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isCallFailed(error)) throw error
      return (await this.#defer(message, tool, policy, error, signal)) ?? this.#failed(message, tool, error)
    } finally {
      progress.stop()
    }
  }

  /** Makes a queued call: no client waits for its answer here. */
  async perform(params: CallParams, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const { requests, bridge, lists } = this.#deps
    const { tool, arguments: args = {}, meta } = params
    const asked = { name: tool, arguments: args, ...present({ _meta: meta }) }
    const answered = await exchange(
      bridge.upstream,
      {
        ...requests.limits(tool),
        what: tool,
        idleTimeoutMs: Infinity,
        write: connection => {
          const own = ownRequest(connection.ownId(), 'tools/call', asked)
          return bridge.written({ ...own, headers: lists.headersOf(tool, args) }, connection, 'session')
        },
      },
      () => requests.context,
      signal,
      this.#time,
    )
    const { result = {} } = answered.response
    if (wantsInput(result, 0))
      throw new ExchangeFailed(classify(new NeedsInput(tool), requests.context) as Failure)
    return result
  }

  /** Stores a call for later, if it may be sent again and waiting makes sense. */
  async #defer(
    message: Request,
    tool: string,
    policy: ToolPolicy,
    failed: CallFailed,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    const { deferral, names, bridge } = this.#deps
    if (!deferral || !mayBeDeferred(failed.failure, policy)) return undefined
    const { arguments: args } = message.params ?? {}
    const { traceparent, tracestate } = metaOf(message.params)
    const meta = { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) }
    const call: CallParams = {
      tool,
      ...(isObject(args) ? { arguments: args } : {}),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    }
    const capability = names.capability[policy.retry]
    const deferred = { message, era: bridge.era, capability, provider: names.provider, call, failed }
    return deferral.defer(deferred, signal)
  }

  /** The server's own answer with the verdict beside it, or what is known where it gave none. */
  #failed(message: Request, tool: string, failed: CallFailed): Buffer {
    const { bridge } = this.#deps
    const { failure } = failed
    const decided: Decided = { failure, verdict: withToolsRemedy(failed) }
    const answered = answeredOf(failed)
    if (!answered) return failedAnswer(message.id, bridge.era, sentenceFor(tool, decided, false), decided)
    // What a tool itself says of an error is clear enough; an error of the protocol leaves open how far the tool got.
    const isClear = failure.class === 'unknown' && answered.response.error === undefined
    const isUnsure = failure.class !== 'permanent' && !isClear
    const sentence = isUnsure ? sentenceFor(tool, decided, true) : undefined
    return bridge.answer({ ...answered, line: withVerdict(answered, decided, sentence) }, message)
  }
}

/** Says with the config's own words what would allow a second try. */
function withToolsRemedy({ verdict, refusedRepeat }: CallFailed): Verdict {
  if (!refusedRepeat) return verdict
  return {
    ...verdict,
    reason: `${refusedRepeat.why} (if running it twice is harmless, set retry = "replay" for this tool)`,
  }
}
