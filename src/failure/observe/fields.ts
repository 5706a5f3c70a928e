/**
 * What the fields of errors, bodies and results mean, by name. One table, because a newcomer's first question
 * about a missed failure is "was that field read at all?".
 */
export type FieldRole =
  /** Names something: emitted as a bare word and as `field=value`. */
  | 'word'
  /** Means something only together with its field: emitted as `field=value` alone. */
  | 'scoped'
  /** An HTTP status, if its value can be one. */
  | 'status'
  /** Written for a reader; may hold JSON. */
  | 'text'
  /** Leads further inward. */
  | 'inner'
  /** Says when to come back. */
  | 'wait'

const table: Record<FieldRole, string> = {
  word: `name code type reason errno errcode errorCode error_code err_code errorType error_type errorName error_name
    error_kind errorKind Code Type __type _tag internalCode sqlState constructorName terminal_reason startup_failure_reason category
    exit_status classification errorno kind key error_status_code api_code err_type quotaId lc_error_code codeName issue failureCode`,
  scoped: `status subtype stop_reason stopReason finish_reason finishReason blockReason block_reason event
    rate_limit_type rateLimitType limit_source overageDisabledReason turnCompleteReason syscall hostname
    limit_type quotaMetric`,
  status: `status statusCode status_code httpStatusCode httpStatus http_status http_code api_error_status
    error_status originalStatusCode raw_status_code responseCode code error_code errorCode err_code httpCode
    response_status responseStatus cod`,
  text: `message msg detail details error_msg error_message errorMessage error_description description title
    status_msg statusText statusMessage finishMessage body responseBody response_body stderr stdout data raw
    reason error Message errmsg err_msg info statusReason failureReason failure_reason failure refusal text apiMessage sqlMessage hint param fault shortMessage`,
  inner: `cause error errors suppressed err lastError last_error previous originalError original_error original innerError
    inner_error innererror inner exception response data body responseBody response_body details detail metadata
    raw info base_resp Response Error failure failures violations parameters rate_limit_info lastNodeError reason
    sdkError upstream upstream_error promptFeedback candidates choices incomplete_details status_details
    availability extensions $metadata error_info errorInfo errorResponse error_response failedAttempts
    content_filter_results context_details stop_details llm_error output_error retry_info meta error_data
    reasonDetails $retryable nested params_error event_error properties state part`,
  wait: `retry_after retryAfter retryAfterMs retry_after_ms retryAfterSeconds retry_after_seconds retryDelay
    retry_delay retryDelayMs resets_at resetsAt reset_at resetAt reset_time resetTime quotaResetDelay
    quotaResetTimeStamp estimated_time resets_in_seconds reset_seconds reset_after resetAfter retry_at retryAt
    RetryAfterSeconds overageResetsAt`,
}

const ROLES = new Map<string, Set<FieldRole>>()
for (const [role, names] of Object.entries(table)) {
  for (const name of names.split(/\s+/)) {
    const roles = ROLES.get(name) ?? new Set()
    ROLES.set(name, roles.add(role as FieldRole))
  }
}

/** Fields that a Reader reads even from the prototype: getters of errors and responses live there. */
export const KNOWN_FIELDS: readonly string[] = [
  'name',
  'message',
  'code',
  'cause',
  'errors',
  'status',
  'headers',
  'statusCode',
  'statusText',
  'statusMessage',
  'body',
  'data',
  'response',
  'error',
  'suppressed',
  'reason',
  'details',
  'detail',
  'exitCode',
  'stdout',
  'stderr',
  'signal',
]

const NOTHING: ReadonlySet<FieldRole> = new Set()

export function rolesOf(field: string): ReadonlySet<FieldRole> {
  return ROLES.get(field) ?? NOTHING
}

/** Fields whose content is our own request or a location: they prove nothing about the answer. */
const OURS = new Set(
  `request req config options requestBodyValues requestBody request_body payload params args arguments argv cmd
   command url path address stack input prompt messages tools socket agent command_line env query spawnargs
   documentation_url links modelUsage usage permission_denials mcp_servers content parts output outputs
   toolCalls tool_calls function structuredContent structured_content httpRequest agentOptions quotaDimensions`.split(
    /\s+/,
  ),
)

export function isOurs(field: string): boolean {
  return OURS.has(field)
}

/** A field of unknown name that still leads inward: `gatewayError`, `rootCause`, `failure_info`. */
export function looksInward(field: string): boolean {
  return /(err|error|cause|exception|failure)(s|_?info|_?details?)?$/i.test(field)
}

/** snake_case form of a field, the one that rules use in `field=value`. */
export function snakeCase(field: string): string {
  // Few fields are in camelCase, and every word of every failure asks.
  return /[A-Z]/.test(field) ? field.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase() : field
}
