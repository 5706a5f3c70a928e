import { page } from '../page.ts'

/** Agent CLIs, by kind: what they say in codes and words of their own. */
export default page(
  'cli',
  `
config: config specific · a setting is wrong or missing; somebody has to change it
  says stream json requires verbose, invalid mcp (configuration|config), permission prompt tool … not found,
    error parsing … (overrides|override), workspace trust required, trust this (workspace|folder|directory), exec ended early,
    requires higher autonomy
  or code exit=42|44|52|55; also agent=gemini
  or code exit=42|44|52; also agent=qwen
  or code FatalInputError FatalSandboxError FatalUntrustedWorkspaceError proxy_invalid cwd_unavailable provider_not_allowed
    shell_tool_missing sandbox_required_unavailable startup_managed
  or code exit=2; also agent=codex|aider|goose|crush|kimi|droid|openhands|swe-agent
  eg as codex {"exitCode":2,"signal":null,"stdout":"","stderr":""}
max_turns: max_turns specific · the limit of turns that the caller set was reached
  code FatalTurnLimitedError subtype=error_max_turns
  or code exit=53; also agent=gemini|qwen
  eg {"exitCode":53,"signal":null,"stdout":"","stderr":"{\\"session_id\\":\\"s-1\\",\\"error\\":{\\"type\\":\\"Error\\",\\"message\\":\\"stopped\\"}}"}
max_budget: max_budget specific · the budget that the caller set was reached
  code subtype=error_max_budget_usd
  or code exit=55; also agent=qwen
  eg {"exitCode":55,"signal":null,"stdout":"","stderr":"Qwen Code stopped"}
max_steps: max_steps specific · the limit of steps that the caller set was reached
  code subtype=error_max_structured_output_retries terminal_reason=structured_output_retry_exhausted
    finish_reason=max_iterations|mistake_limit
  or says potential loop was detected, ended by the repeat breaker
  eg A potential loop was detected
context_overflow: context_overflow specific · the input does not fit the model
  code ContextOverflowError MessageOutputLengthError LLMContextWindowTooSmallError exit_context
    terminal_reason=blocking_limit|rapid_refill_breaker error_type=context_limit
  or says (image|pdf|document) was too large, (image|pdf|document|request) too large …… press esc
  eg {"exitCode":0,"signal":null,"stdout":"{\\"trajectory\\":[],\\"info\\":{\\"exit_status\\":\\"exit_context\\"}}","stderr":""}
aborted: aborted specific · somebody or the program cancelled it
  code FatalCancellationError terminal_reason=aborted_streaming|aborted_tools
  eg {"message":"it failed","code":"FatalCancellationError"}
bad_json: bad_json specific · the answer cannot be read; a fresh one usually can
  code terminal_reason=malformed_tool_use_exhausted
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"result\\",\\"is_error\\":true,\\"session_id\\":\\"s-1\\",\\"num_turns\\":1,\\"subtype\\":\\"error_during_execution\\",\\"terminal_reason\\":\\"malformed_tool_use_exhausted\\"}","stderr":""}
startup_login: auth typed · it stopped before the first turn because the organisation or its gateway does not accept the login
  code startup_org startup_gateway
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"result\\",\\"is_error\\":true,\\"session_id\\":\\"s-1\\",\\"num_turns\\":0,\\"subtype\\":\\"error_during_execution\\",\\"errors\\":[],\\"startup_failure_reason\\":\\"org_mismatch\\"}","stderr":""}
startup_unsure: server_error specific none · a question at the start could not be asked; no work has begun
  code org_verify_failed org_config_required_unavailable worktree_unverified
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"result\\",\\"is_error\\":true,\\"session_id\\":\\"s-1\\",\\"num_turns\\":0,\\"subtype\\":\\"error_during_execution\\",\\"errors\\":[],\\"startup_failure_reason\\":\\"org_verify_failed\\"}","stderr":""}
session_held: lock specific permanent · a background run holds the session until it ends
  code session_held_by_background
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"result\\",\\"is_error\\":true,\\"session_id\\":\\"s-1\\",\\"num_turns\\":0,\\"subtype\\":\\"error_during_execution\\",\\"errors\\":[],\\"startup_failure_reason\\":\\"session_held_by_background\\"}","stderr":""}
billing: billing specific · money, credit or the plan ran out, or a payment is due; waiting does not fix that
  says hit your … (shared|team) budget, (org|organization|workspace) is out of usage, usage is paused for your,
    (seat type|seat|plan) doesnt include, use codex with your chat gpt plan,
    no remaining quota for premium requests, no access to (cline pass|clinepass) subscription
  or code error_type=quota; also agent=copilot
  eg You have no remaining quota for premium requests
stalled: stream_cut typed · the answer broke off before its end
  says api error terminated, stalled mid stream, (response|stream) stalled before a response, went to sleep mid
  or code ended=cut_off
  eg {"exitCode":1,"signal":null,"stdout":"API Error: Response stalled mid-stream. The response above may be incomplete.","stderr":""}
auth: auth specific · the key, token or login is missing, wrong or expired
  says api key helper … (failing|failed|returned), no auth type is selected, free tier (has been|was|is) discontinued,
    (provider auth|litellm permission denied) error, failed to initialize provider, missing environment variable … (key|token)
  or code exit=41; also agent=gemini|qwen
  or code ProviderInitError PAID_MODEL_AUTH_REQUIRED
  eg {"status":500,"headers":{},"body":{"error":"No auth type is selected"}}
max_tokens: max_tokens specific · the limit of tokens that the caller set was reached
  says agent thread limit reached
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"t-1\\"}\\n{\\"type\\":\\"turn.failed\\",\\"error\\":{\\"message\\":\\"agent thread limit reached\\"}}","stderr":""}
server_error: server_error typed · it failed on their side; the same request usually works later
  says stream disconnected before completion …… (error occurred|had an error) while processing your request,
    empty response with no (text|content)
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"t-1\\"}\\n{\\"type\\":\\"turn.failed\\",\\"error\\":{\\"message\\":\\"stream disconnected before completion: An error occurred while processing your request. You can retry your request.\\"}}","stderr":""}
lost_thread: not_found typed · the thread to resume is not stored here
  says no rollout found
  eg no rollout found for thread id 0199
tool: disk_full specific · exit 54: a tool found the disk full, the only tool error that ends a run
  code exit=54; also agent=gemini|qwen
  eg {"exitCode":54,"signal":null,"stdout":"","stderr":"{\\"session_id\\":\\"s-1\\",\\"error\\":{\\"type\\":\\"Error\\",\\"message\\":\\"stopped\\"}}"}
account: forbidden specific account · the account has to be verified in a browser, or is suspended
  code ValidationRequiredError AccountSuspendedError
  or says verify your account to continue, tos violation
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"init\\",\\"session_id\\":\\"s-1\\",\\"model\\":\\"m\\"}\\n{\\"type\\":\\"result\\",\\"status\\":\\"error\\",\\"error\\":{\\"type\\":\\"ValidationRequiredError\\",\\"message\\":\\"Verify your account to continue\\"},\\"stats\\":{}}","stderr":""}
network: network general · the connection could not be made or broke
  says retry attempts exhausted, decompression failed, network retry limit reached
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"error\\",\\"timestamp\\":1,\\"sessionID\\":\\"ses_1\\",\\"error\\":{\\"name\\":\\"UnknownError\\",\\"data\\":{\\"message\\":\\"Response decompression failed\\"}}}","stderr":""}
permission: config specific maybe · a permission was requested and no person was there to grant it
  says auto rejected permission, (permission|permissions) requested …… auto rejecting
  eg {"exitCode":1,"signal":null,"stdout":"","stderr":"Error: run ended with an auto-rejected permission; pass --auto for autonomous use"}
unknown: unknown typed · it says only that something failed
  says unexpected server error check server logs, unexpected server error …… check server logs for details
  or code "message=empty response"
  eg thrown {"message":"empty response"}
provider_deadline: gateway_timeout typed · the provider did not begin to answer in time; the caller's budget may have plenty left
  code ProviderHeaderTimeoutError
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"error\\",\\"timestamp\\":1,\\"sessionID\\":\\"ses_1\\",\\"error\\":{\\"name\\":\\"APIError\\",\\"data\\":{\\"message\\":\\"no headers\\",\\"metadata\\":{\\"code\\":\\"ProviderHeaderTimeoutError\\"}}}}","stderr":""}
wrong_shape: invalid_request specific · the request itself is wrong; the same again fails the same way
  code StructuredOutputError terminal_reason=image_error
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"error\\",\\"timestamp\\":1,\\"sessionID\\":\\"ses_1\\",\\"error\\":{\\"name\\":\\"StructuredOutputError\\",\\"data\\":{\\"message\\":\\"no\\",\\"retries\\":0}}}","stderr":""}
free_allowance: quota specific · the free models' allowance is used up
  code PROMOTION_MODEL_LIMIT_REACHED free_tier_limit
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"error\\",\\"timestamp\\":1,\\"sessionID\\":\\"ses_1\\",\\"error\\":{\\"name\\":\\"APIError\\",\\"data\\":{\\"message\\":\\"no\\",\\"responseBody\\":\\"{\\\\\\"error\\\\\\":{\\\\\\"code\\\\\\":\\\\\\"PROMOTION_MODEL_LIMIT_REACHED\\\\\\"}}\\"}}}","stderr":""}
server_error_hint: server_error status · it failed on their side; the same request usually works later
  says run prompt provider api error
  or code exit_api exit_environment_error
  eg {"exitCode":0,"signal":null,"stdout":"{\\"trajectory\\":[],\\"info\\":{\\"exit_status\\":\\"exit_api\\"}}","stderr":""}
not_allowed: forbidden typed · its word for a login without the required rights
  code error_type=authorization; also agent=copilot
  eg {"exitCode":1,"signal":null,"stdout":"{\\"type\\":\\"session.error\\",\\"data\\":{\\"errorType\\":\\"authorization\\",\\"message\\":\\"no\\"},\\"id\\":\\"e-1\\",\\"timestamp\\":\\"t\\"}\\n{\\"type\\":\\"result\\",\\"sessionId\\":\\"s-1\\",\\"exitCode\\":1,\\"usage\\":{}}","stderr":""}
refused: content_policy specific maybe · a policy refused the text; the same text is refused again
  says (sorry but|sorry) i (cannot|cant|am unable to|m unable to) (assist|help|comply|continue),
    i (cannot|cant|am unable to) (assist|comply) with (this|that), filtered by the responsible ai,
    cant help with this …… new session, run prompt provider filtered
  eg {"exitCode":1,"signal":null,"stdout":"","stderr":"error: failed to run prompt: provider.filtered: no\\nSee log: /root/.kimi/kimi.log"}
overloaded: overloaded typed none · its class for a provider that is down or overloaded
  code LLMServiceUnavailableError
  eg {"exitCode":0,"signal":null,"stdout":"{\\"kind\\":\\"ConversationErrorEvent\\",\\"code\\":\\"LLMServiceUnavailableError\\",\\"detail\\":\\"stopped\\",\\"source\\":\\"environment\\"}","stderr":""}
`,
)
