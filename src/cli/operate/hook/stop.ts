import { isSessionName, sessionNameOf } from '../../../gateway/mcp/server/session.ts'
import { catchUpNotices } from '../../../notice/catch-up.ts'
import { showBeforeEnd } from '../../../notice/inbox.ts'
import { reasonToGoOn } from '../../../notice/session-end.ts'
import { realTime } from '../../../time/time.ts'
import { printJson } from '../../print/print-json.ts'
import { withRuntime } from '../../runtime/runtime.ts'
import { type Hook, textOf } from './hook.ts'

/** The name that a client gives its MCP servers, which name its session. */
const MCP_NAMES: Readonly<Record<string, string>> = { claude: 'claude-code', qwen: 'qwen-code' }

/** Keeps a session from ending while something needs action. One that goes on because of this hook may end. */
export const stop: Hook = async (input, flags, terminal) => {
  if (input.stop_hook_active === true) return
  const folder = textOf(input, 'cwd') ?? terminal.cwd
  const named = [textOf(input, 'session_id'), sessionNameOf(MCP_NAMES[flags.client] ?? flags.client, folder)]
  const sessions = named.filter(name => name !== undefined && isSessionName(name)) as string[]
  await withRuntime(flags, terminal, { absent: 'keep_out', shows: true }, async ({ ledger }) => {
    if (!ledger) return 0
    await catchUpNotices(ledger, { ...realTime, now: terminal.now })
    for (const session of sessions) {
      const held = await showBeforeEnd(ledger, session, terminal.now())
      if (held.length === 0) continue
      printJson(terminal, { decision: 'block', reason: reasonToGoOn(held, session) })
      break
    }
    return 0
  })
}
