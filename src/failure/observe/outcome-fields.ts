import { meaningOfField } from './fields.ts'
import { type Fields, isObject } from './read.ts'

/** Field names in which answers report how a request went. */
const OUTCOME = new Set(
  `status statusCode status_code statusText httpStatus http_status httpCode http_code code cod errno errcode errorCode error_code
  error_kind subcode status_msg status_txt status_text message msg error errors error_message errorMessage error_msg errmsg
  error_type errorType error_description errorDescription error_uri reason detail details description title
  type category severity level success ok isError is_error retry retryable isRetryable retry_after retryAfter
  global request_id requestId requestID trace_id traceId traceID log_id logId correlationId id timestamp time
  path instance method documentation_url doc_url help hint param meta data result results value stat state
  outcome info infocode retCode retMsg ret ret_code ret_msg resultCode resultMsg errCode errMsg err_code err_msg ErrCode ErrMsg error_no error_info
  returnCode returnMsg return_code return_msg respCode respMsg resp_code resp_msg result_code result_msg isSuccess succeeded successful Code Message RequestId __type retExtInfo rid extensions
  sub_code jsonrpc service suggestion version error_user_msg error_subcode stack stackTrace className cause
  attempt attempts summary model modelId model_id provider providerId provider_id`.split(/\s+/),
)

/** The same sentence in another language, or for another reader. */
const TRANSLATION = /^(?:message|msg)_?(?:cn|zh|en|jp|ja|kr|ko|local|i18n)$/i
const FOR_READER =
  /^(?:short|long|detail|detailed|full|user|display|friendly|localized|developer|internal)_?(?:message|msg)$/i

/** True for the name of a field that holds a sentence about the request. */
export function isOtherMessage(name: string): boolean {
  return TRANSLATION.test(name) || FOR_READER.test(name)
}

const ERROR_NAME = /(?:Error|Exception|Failure|Fault)$/

/**
 * True for an answer that says only how a request went. A data row may have a status and a message too, but it is about
 * something (an order, a person, a test), with fields of its own.
 */
export function isOutcomeAlone(fields: Fields): boolean {
  for (const [name, content] of fields) {
    // A null field is about nothing.
    if (content === null) continue
    if (!isOfOutcome(name, content)) return false
  }
  return true
}

function isOfOutcome(name: string, content: unknown): boolean {
  if (name === 'name') return ERROR_NAME.test(String(content))
  if (name === 'object') return content === 'error'
  // Kubernetes calls the answer that only says how a request went a status.
  if (name === 'kind') return content === 'Status'
  if (name === 'apiVersion') return content === 'v1'
  if (name === 'metadata') return isObject(content) && Object.keys(content).length === 0
  // Clients pass these on next to the error they read from them.
  if (name === 'request' || name === 'response') return isObject(content)
  return OUTCOME.has(name) || isOtherMessage(name) || meaningOfField(name).wait
}
