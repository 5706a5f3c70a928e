import type { FailureKind } from '../../failure.ts'
import { family, type RuleSource } from '../rule.ts'
import { words } from './example.ts'

const isException = (word: string) => /[A-Z]/.test(word)

/** @param list kinds as in `error_kind`, and exception names */
const typed = (
  kind: FailureKind,
  list: string,
  why: string,
  more: Pick<RuleSource, 'effect'> = {},
): RuleSource => {
  const [first = '', ...rest] = words(list)
  const code = [first, ...rest].map(word => (isException(word) ? word : `error_kind=${word}`))
  // Exceptions are thrown; kinds are in a tool's result.
  const exampleReturned = !isException(first)
  // The words say something else, but the stated kind wins.
  const example = { error: 'insufficient balance', [exampleReturned ? 'error_kind' : 'name']: first }
  return { kind, rank: 'told', why, when: { code }, example, exampleReturned, ...more }
}

/** What work-buddy's tools call their failures: `error_kind` of a result, and exception names. */
export default family('work_buddy', {
  unreachable: typed(
    'network',
    'obsidian_unreachable ObsidianUnreachable server_unreachable mcp_fetch_failed',
    'the program behind the tool cannot be reached',
  ),
  starting: typed(
    'loading',
    'obsidian_startup_race ObsidianStartupRace',
    'the program behind the tool is not up yet',
    { effect: 'none' },
  ),
  timeout: typed(
    'timeout',
    'obsidian_timeout ObsidianTimeout obsidian_post_write_uncertain ObsidianPostWriteUncertain mcp_gateway_timeout',
    'a deadline passed after the request was sent: what was written may be there',
  ),
  conflict: typed(
    'conflict',
    'obsidian_editor_conflict ObsidianEditorConflict',
    'another user has the document open; nothing was written',
    { effect: 'none' },
  ),
  server: typed(
    'server_error',
    'obsidian_server_error ObsidianServerError obsidian_http_error ObsidianHTTPError obsidian_unknown ObsidianError',
    'the program behind the tool failed, and says no more',
  ),
  circuit: typed('overloaded', 'obsidian_bridge_circuit_open', 'a breaker is open: the call was never made', {
    effect: 'none',
  }),
  link: typed('stream_cut', 'lm_link_dropped', 'the link to a local model broke in the middle of an answer'),
  malformed: typed('bad_json', 'malformed_response', 'an answer that cannot be read; a fresh one may be'),
  refused: typed(
    'invalid_request',
    'obsidian_refused ObsidianRefused bad_request',
    'the request itself was refused',
  ),
  closed: typed(
    'config',
    'obsidian_not_running ObsidianNotRunning obsidian_plugin_missing ObsidianPluginMissing obsidian_plugin_disabled ObsidianPluginDisabled ToolUnavailable',
    'a person has to start, install or switch on what the tool needs',
  ),
  consent: typed('permission', 'ConsentRequired', 'a person has to agree first'),
  model: typed(
    'model_not_found',
    'model_not_available model_unsupported',
    'no such model is to be had there',
  ),
  context: typed('context_overflow', 'context_exceeded', 'the input does not fit the model'),
})
