import { ALL_KINDS, type FailureKind } from '../../failure.ts'
import { page } from '../page.ts'

/** Other names that tools and exceptions use for a kind. */
const ALIASES: Partial<Record<FailureKind, string>> = {
  network: 'ObsidianUnreachable error_kind=obsidian_unreachable|server_unreachable|mcp_fetch_failed',
  timeout:
    'ObsidianTimeout ObsidianPostWriteUncertain error_kind=obsidian_timeout|obsidian_post_write_uncertain|mcp_gateway_timeout',
  server_error:
    'ObsidianServerError ObsidianHTTPError ObsidianError error_kind=obsidian_server_error|obsidian_http_error|obsidian_unknown',
  stream_cut: 'error_kind=lm_link_dropped',
  bad_json: 'error_kind=malformed_response',
  invalid_request: 'ObsidianRefused error_kind=obsidian_refused|bad_request',
  config:
    'ObsidianNotRunning ObsidianPluginMissing ObsidianPluginDisabled ToolUnavailable error_kind=obsidian_not_running|obsidian_plugin_missing|obsidian_plugin_disabled',
  permission: 'ConsentRequired',
  model_not_found: 'error_kind=model_not_available|model_unsupported',
  context_overflow: 'error_kind=context_exceeded',
}

/**
 * Our own kinds, as tools and programs state them in `error_kind`. A name chosen on purpose, which survives JSON and
 * process boundaries, takes precedence over any text: the words of the examples say something else.
 */
const kinds = ALL_KINDS.filter(kind => kind !== 'unknown').map(
  kind => `${kind}: ${kind} told · the failed program states the kind of failure itself
  code error_kind=${kind} ${ALIASES[kind] ?? ''}
  eg returned {"error":"${kind === 'billing' ? 'no space left on device' : 'insufficient balance'}","error_kind":"${kind}"}`,
)

export default page(
  'typed',
  `${kinds.join('\n')}
starting: loading told none · the program behind the tool is not up yet
  code ObsidianStartupRace error_kind=obsidian_startup_race
  eg returned {"error":"insufficient balance","error_kind":"obsidian_startup_race"}
open_elsewhere: conflict told none · another user has the document open; nothing was written
  code ObsidianEditorConflict error_kind=obsidian_editor_conflict
  eg returned {"error":"insufficient balance","error_kind":"obsidian_editor_conflict"}
circuit: overloaded told none · a breaker is open: the call was never made
  code error_kind=obsidian_bridge_circuit_open
  eg returned {"error":"insufficient balance","error_kind":"obsidian_bridge_circuit_open"}
`,
)
