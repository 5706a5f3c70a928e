// A council as an opencode tool: several models review the same thing at once, and one of them writes the summary.
//
// Put this file into .opencode/plugin/ of your project, run `npm install mulligan zod` in .opencode/, and name your
// models in opencode.json:
//
//   "plugin": [["./.opencode/plugin/council.ts", { "models": ["anthropic/claude-opus-4-6", "openai/gpt-5.2"] }]]
//
// Or set COUNCIL_MODELS="anthropic/claude-opus-4-6,openai/gpt-5.2".
import { council, isCallFailed } from 'mulligan'
import { askOpencode, type OpencodeClient, OpencodeEvents, opencodeMember } from 'mulligan/opencode'
import { z } from 'zod'

interface PluginInput {
  client: OpencodeClient
  directory: string
}

export const Council = async (
  { client, directory }: PluginInput,
  options: { models?: readonly string[]; budgetMs?: number } = {},
) => {
  const names = options.models ?? process.env.COUNCIL_MODELS?.split(',') ?? []
  const models = names.map(modelOf)
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
          try {
            const { aggregation, summary } = await council(
              models.map(model => opencodeMember(client, { ...child, model, prompt })),
              {
                prompt,
                ...(options.budgetMs === undefined ? {} : { budgetMs: options.budgetMs }),
                ...(context.abort ? { signal: context.abort } : {}),
                aggregator: {
                  aggregate: (answers, asked) =>
                    askOpencode(
                      client,
                      {
                        ...child,
                        title: 'council: summary',
                        prompt: `Merge these reviews into one. Do not judge them.\n\n${answers.summary}`,
                        ...(models[0] ? { model: models[0] } : {}),
                      },
                      asked,
                    ),
                },
              },
            )
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

function modelOf(name: string): { providerID: string; modelID: string } {
  const [providerID = '', ...rest] = name.trim().split('/')
  return { providerID, modelID: rest.join('/') }
}
