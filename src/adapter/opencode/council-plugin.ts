import { z } from 'zod'
import { isCallFailed } from '../../call/call-failed.ts'
import { council } from '../../call/council.ts'
import { askOpencode } from './ask.ts'
import type { OpencodeClient } from './client.ts'
import { OpencodeEvents } from './events.ts'
import { opencodeMember } from './member.ts'

/** What opencode gives a plugin. */
export interface OpencodePluginInput {
  client: OpencodeClient
  directory: string
}

/** Settings of the council. */
export interface CouncilPluginOptions {
  /** The members, as `provider/model`; one may be named twice. Default: `COUNCIL_MODELS`, separated by commas. */
  models?: readonly string[]
  /** How many answers are enough. Default all. */
  quorum?: number
  /** Milliseconds that stragglers have after the quorum. Default 0. */
  graceMs?: number
  /** Milliseconds for one member, retry included. Default 270 s. */
  budgetMs?: number
  /** Milliseconds for everything. Default the sum of its parts plus 30 s. */
  hardCapMs?: number
  /** The model that writes the summary. Default the first of `models`. */
  aggregator?: string
}

/** An opencode plugin with one tool, `council_review`: several models review the same thing, and one writes the summary. */
export const councilPlugin = async (
  { client, directory }: OpencodePluginInput,
  options: CouncilPluginOptions = {},
) => {
  const { models: given, aggregator, ...limits } = options
  const names = (given ?? process.env.COUNCIL_MODELS?.split(',') ?? []).map(name => name.trim())
  const summarising = aggregator ?? names[0]
  // One source of events for all sessions. It reveals a wait of hours as soon as it is announced.
  const events = new OpencodeEvents()

  return {
    event: events.hook,
    tool: {
      council_review: {
        description:
          'Asks several models to review the same thing, and returns one summary of their reviews.',
        args: { prompt: z.string().describe('What to review, with everything a reviewer needs to know') },
        async execute({ prompt }: { prompt: string }, context: { sessionID: string; abort?: AbortSignal }) {
          const child = { parentID: context.sessionID, directory, events, tools: { council_review: false } }
          const members = names.map((name, index) =>
            opencodeMember(client, { ...child, name: nameOf(names, index), model: modelOf(name), prompt }),
          )
          try {
            const { aggregation, summary } = await council(members, {
              prompt,
              ...limits,
              ...(context.abort ? { signal: context.abort } : {}),
              aggregator: {
                aggregate: (answers, asked) =>
                  askOpencode(
                    client,
                    {
                      ...child,
                      title: 'council: summary',
                      prompt: `Merge these reviews into one. Do not judge them.\n\n${answers.summary}`,
                      ...(summarising ? { model: modelOf(summarising) } : {}),
                    },
                    asked,
                  ),
              },
            })
            // If the aggregator fails, the reviews themselves are still worth reading.
            return aggregation?.ok ? aggregation.value : summary
          } catch (error) {
            const reason = isCallFailed(error) ? error.verdict.reason : (error as Error).message
            return `Error: the council failed: ${reason}`
          }
        },
      },
    },
  }
}

/** A member's name: its model, numbered if the model takes part more than once. */
function nameOf(names: readonly string[], index: number): string {
  const name = names[index] as string
  const before = names.slice(0, index).filter(other => other === name).length
  return before === 0 ? name : `${name} (${before + 1})`
}

function modelOf(name: string): { providerID: string; modelID: string } {
  const [providerID = '', ...rest] = name.split('/')
  return { providerID, modelID: rest.join('/') }
}
