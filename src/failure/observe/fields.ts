/**
 * What fields of errors, bodies and results mean, by name. One table, because the first question about a missed failure
 * is "was that field read at all?".
 */
export type FieldRole =
  /** Names something. Recorded as a bare word and as `field=value`. */
  | 'word'
  /** Means something only with its field name. Recorded as `field=value` only. */
  | 'scoped'
  /** An HTTP status, if the value can be one. */
  | 'status'
  /** Written for people; may contain JSON. */
  | 'text'
  /** Leads further inward. */
  | 'inner'
  /** Says when to come back. */
  | 'wait'

/** Names of fields by what they mean. `ours` hold our own request or a location: they say nothing about the answer. */
const NAMES: Record<FieldRole | 'ours', string> = {
  word: `name code type reason errno errcode errorCode error_code err_code errorType error_type errorName error_name
    error_kind errorKind Code Type __type _tag internalCode sqlState constructorName terminal_reason startup_failure_reason category
    exit_status classification errorno kind key error_status_code api_code err_type quotaId lc_error_code codeName issue failureCode`,
  scoped: `status subtype stop_reason stopReason finish_reason finishReason done_reason blockReason block_reason event
    rate_limit_type rateLimitType limit_source overageDisabledReason turnCompleteReason syscall hostname
    limit_type quotaMetric`,
  status: `status statusCode status_code httpStatusCode httpStatus http_status http_code api_error_status
    error_status originalStatusCode raw_status_code responseCode code error_code errorCode err_code httpCode
    response_status responseStatus cod`,
  text: `message msg detail details error_msg error_message errorMessage error_description description title
    status_msg status_txt status_text statusText statusMessage finishMessage body responseBody response_body stderr stdout data raw
    reason error Error Message Description ErrorMessage ErrorDescription Note Information errorText errmsg err_msg errMsg ErrMsg error_info returnMsg return_msg respMsg resp_msg result_msg retMsg ret_msg resultMsg errorDetail faultstring info mensaje mensagem nachricht meldung fehler fehlermeldung erreur errore messaggio melding ошибка сообщение statusReason failureReason failure_reason failure refusal text apiMessage sqlMessage hint fault shortMessage longMessage error_summary`,
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
    RetryAfterSeconds overageResetsAt backoff_seconds wait_seconds cooldown_seconds retry_in_seconds reset_in_seconds
    retryInSeconds resetInSeconds waitSeconds cooldownSeconds suspended_time`,
  ours: `request req config options requestBodyValues requestBody request_body payload params args arguments argv cmd
   command url path address stack input prompt messages tools socket agent command_line env query spawnargs
   documentation_url links modelUsage usage permission_denials mcp_servers content parts output outputs
   toolCalls tool_calls function structuredContent structured_content httpRequest agentOptions quotaDimensions`,
}

/** Fields that a Reader reads even from the prototype, because getters of errors and responses live there. */
export const KNOWN_FIELDS: readonly string[] =
  `name message code cause errors status headers statusCode statusText statusMessage body data response error
  suppressed reason details detail exitCode stdout stderr signal`.split(/\s+/)

/** Unknown field names that still lead inward: `gatewayError`, `rootCause`, `failure_info`. */
const INWARD = /(err|error|cause|exception|failure)(s|_?info|_?details?)?$/i

/** What a field means by its name. */
export type FieldMeaning = Readonly<Record<FieldRole, boolean>> & {
  readonly name: string
  /** The snake_case form that rules use in `field=value`. */
  readonly snake: string
  /** True for our own request or a location. */
  readonly isOurs: boolean
  readonly looksInward: boolean
}

/** Field names repeat, so their meanings are cached: up to this many, up to this length. */
const MOST_NAMES = 1_024
const LONGEST_NAME = 64
const meanings = new Map<string, FieldMeaning>()

/** Made at the first failure: a program that never fails needs none. */
let roles: Record<keyof typeof NAMES, ReadonlySet<string>> | undefined

function namesByRole(): Record<keyof typeof NAMES, ReadonlySet<string>> {
  const setOf = (role: keyof typeof NAMES) => new Set(NAMES[role].split(/\s+/))
  return {
    word: setOf('word'),
    scoped: setOf('scoped'),
    status: setOf('status'),
    // The only name with a space.
    text: setOf('text').add('Error Message'),
    inner: setOf('inner'),
    wait: setOf('wait'),
    ours: setOf('ours'),
  }
}

export function meaningOfField(name: string): FieldMeaning {
  const known = meanings.get(name)
  if (known) return known
  roles ??= namesByRole()
  const meaning = {
    name,
    snake: snakeCase(name),
    word: roles.word.has(name),
    scoped: roles.scoped.has(name),
    status: roles.status.has(name),
    text: roles.text.has(name),
    inner: roles.inner.has(name),
    wait: roles.wait.has(name),
    isOurs: roles.ours.has(name),
    looksInward: INWARD.test(name),
  }
  if (name.length > LONGEST_NAME) return meaning
  if (meanings.size === MOST_NAMES) meanings.clear()
  meanings.set(name, meaning)
  return meaning
}

/** The snake_case form of a field name, as rules use it in `field=value`. */
export function snakeCase(field: string): string {
  return /[A-Z]/.test(field) ? field.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase() : field
}
