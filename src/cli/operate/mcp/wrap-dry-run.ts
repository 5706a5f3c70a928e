import { partsOf } from '../../../daemon/config-parts.ts'
import { present } from '../../../failure/present.ts'
import { LateGate } from '../../../gateway/mcp/wrap/late-gate.ts'
import { policyInWords, type ToolPolicy } from '../../../gateway/mcp/wrap/tool-policy.ts'
import type { UpstreamSettings } from '../../../gateway/mcp/wrap/upstream-settings.ts'
import { Wrap } from '../../../gateway/mcp/wrap/wrap.ts'
import type { WrappedServer } from '../../../gateway/mcp/wrap/wrapped-server.ts'
import { quietly } from '../../../time/clean-up.ts'
import { EXIT } from '../../exit-code.ts'
import { loadFor, type RuntimeFlags } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'

/** What would happen to a server's failed calls. */
interface Outlook {
  server: string
  /** The server's own name. */
  info?: string
  tools: ({ tool: string } & ToolPolicy)[]
  /** Why it could not be asked. */
  problem?: string
}

/** Starts each server, lists its tools, prints what would happen to failed calls, and ends. Stores nothing. */
export async function dryRun(
  upstreams: readonly UpstreamSettings[],
  flags: RuntimeFlags & { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const { classify } = partsOf(loadFor(flags, terminal))
  const gate = new LateGate()
  gate.open(undefined)
  const wrap = new Wrap({
    upstreams,
    folder: undefined,
    gate,
    classify: () => ({ signatures: classify.signatures, now: terminal.now() }),
    onStderr: () => {},
    note: () => {},
  })
  wrap.keepIn(undefined)
  try {
    const outlooks = await Promise.all(wrap.servers.map(server => outlookOf(server, terminal.signal)))
    terminal.stdout(
      flags.json
        ? `${JSON.stringify(outlooks.map(outlookToJson), null, 2)}\n`
        : outlooks.map(inWords).join('\n'),
    )
    const isAsked = outlooks.every(({ problem }) => problem === undefined)
    terminal.exit?.(isAsked ? EXIT.done : 1)
    return isAsked ? EXIT.done : 1
  } finally {
    await quietly(() => wrap.close())
  }
}

async function outlookOf(server: WrappedServer, signal: AbortSignal): Promise<Outlook> {
  const { name } = server.settings
  try {
    const tools = await server.tools(signal)
    const { server: info } = server.upstream
    return {
      server: name,
      ...present({ info }),
      tools: tools.map(tool => ({ tool, ...server.policyOf(tool) })),
    }
  } catch (error) {
    return { server: name, tools: [], problem: (error as Error).message }
  }
}

function outlookToJson({ server, info, tools, problem }: Outlook): Record<string, unknown> {
  return {
    server,
    ...present({ info, problem }),
    tools: tools.map(({ tool, retry, atomic, because }) => ({ tool, retry, atomic, because })),
  }
}

function inWords({ server, info, tools, problem }: Outlook): string {
  if (problem !== undefined) return `${server}: ${problem}\n`
  const width = Math.max(0, ...tools.map(({ tool }) => tool.length))
  const rows = tools.map(
    policy => `  ${policy.tool.padEnd(width)}  ${policyInWords(policy)} (${policy.because})\n`,
  )
  return `${server}${info === undefined ? '' : ` (${info})`}: a call that fails is\n${rows.join('')}`
}
