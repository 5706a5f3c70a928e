import { leaveRunning } from '../../process/leave-running.ts'
import { resilientFetch } from '../../sdk/fetch/resilient-fetch.ts'
import { type CouncilPluginOptions, councilPlugin, type OpencodePluginInput } from './council-plugin.ts'
import { newsOf, type SessionNews } from './events.ts'

/** What the plugin uses from outside. */
export interface MulliganPluginDeps {
  /** Hands a failure over, to be recorded. Default: `mulligan hook stop-failure`. */
  record?: (failure: Readonly<Record<string, unknown>>) => void
  /** The fetch of every provider. Default: one that retries and waits as the policy says. */
  fetch?: typeof fetch
}

interface OpencodeConfig {
  provider?: Record<string, { options?: Record<string, unknown> } | undefined>
}

/**
 * The plugin that `mulligan install opencode` writes: requests to configured providers go through a fetch that retries, failures and
 * announced waits are recorded for all other agents, and there is a council.
 * @param words that start Mulligan
 */
export function mulliganPlugin(words: readonly string[], deps: MulliganPluginDeps = {}) {
  const { record = recorder(words), fetch: send = resilientFetch() } = deps
  return async (input: OpencodePluginInput, options: CouncilPluginOptions = {}) => {
    const council = await councilPlugin(input, options)
    const hasCouncil = (options.models ?? process.env.COUNCIL_MODELS?.split(',') ?? []).length > 0
    const told = new Set<string>()
    return {
      ...(hasCouncil ? council : {}),
      async config(config: OpencodeConfig) {
        for (const provider of Object.values(config.provider ?? {})) {
          if (!provider || provider.options?.fetch !== undefined) continue
          provider.options = { ...provider.options, fetch: send }
        }
      },
      async event({ event }: { event: unknown }) {
        await council.event({ event })
        const { type, properties } = (event ?? {}) as { type?: unknown; properties?: Record<string, unknown> }
        const news = newsOf(type, properties ?? {})
        const session = String(properties?.sessionID ?? '')
        const failure = news && failureOf(news, session)
        // opencode announces each of its own retries of the same failure.
        const key = `${session} ${failure?.last_assistant_message}`
        if (!failure || told.has(key)) return
        if (told.size > MOST_TOLD) told.clear()
        told.add(key)
        record(failure)
      },
    }
  }
}

const MOST_TOLD = 1_000

function failureOf(news: SessionNews, session: string): Record<string, unknown> | undefined {
  const about = { hook_event_name: news.type, session_id: session }
  if (news.type === 'retry')
    return { ...about, last_assistant_message: news.message, resets_at_ms: news.next }
  const { name, data } = (news.error ?? {}) as { name?: unknown; data?: { message?: unknown } }
  if (name === 'MessageAbortedError') return undefined
  return { ...about, error: String(name), last_assistant_message: String(data?.message ?? name) }
}

function recorder(words: readonly string[]): (failure: Readonly<Record<string, unknown>>) => void {
  return failure => {
    const [program = 'mulligan', ...rest] = words
    const argv: [string, ...string[]] = [program, ...rest, 'hook', 'stop-failure', '--client', 'opencode']
    // "opencode run" exits right after the error.
    leaveRunning(argv, JSON.stringify(failure))
  }
}
