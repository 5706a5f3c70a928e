import { page } from '../page.ts'

/** Model vendors and their SDKs, by kind: what they say in codes and words of their own. */
export default page(
  'vendor',
  `
max_tokens: max_tokens specific · the limit of tokens that the caller set was reached
  code LengthFinishReasonError finish_reason=length|max_tokens|max_output_tokens|model_length
    stop_reason=max_tokens|max_output_tokens|length done_reason=length
  eg thrown {"name":"LengthFinishReasonError","message":"See the documentation."}
context_overflow: context_overflow specific maybe · the input does not fit the model
  code finish_reason=model_context_window_exceeded|error_limit stop_reason=model_context_window_exceeded
  or says context shift is disabled
  eg returned {"role":"assistant","content":[],"stop_reason":"model_context_window_exceeded"}
content_policy: content_policy specific maybe · a policy refused the text; the same text is refused again
  code ContentFilterFinishReasonError InputGuardrailTripwireTriggered OutputGuardrailTripwireTriggered
    GuardrailTripwireTriggered finish_reason=content_filter|content-filter|content_filtered|refusal|sensitive|error_toxic
    finish_reason=safety|recitation|blocklist|prohibited_content|spii|image_safety|image_prohibited_content
    finish_reason=image_recitation|language
    stop_reason=refusal|guardrail_intervened|content_filtered|content_filter|content-filter stop_reason=sensitive
    turn_complete_reason=response_rejected|prohibited_input_content|image_prohibited_input_content
    turn_complete_reason=input_image_celebrity|input_image_photo_realistic_child_prohibited|input_text_ncii_prohibited
    turn_complete_reason=input_other|input_ip_prohibited|generated_content_prohibited|generated_content_safety
    turn_complete_reason=generated_content_blocklist|generated_audio_safety|generated_image_safety
    turn_complete_reason=generated_video_safety|generated_image_prohibited|generated_other|unsafe_prompt_for_image_generation
    reason=content_filter status_code=1027 internal_code=2017
  eg returned {"candidates":[{"index":0,"finishReason":"SAFETY"}]}
content_policy_cause: content_policy specific · a policy refused the text; the same text is refused again
  code invalid_prompt sora_policy unsafe_request hooks_failed off_topic
    block_reason=safety|other|blocklist|prohibited_content|image_safety|model_armor|jailbreak
    block_reason=blocked_reason_unspecified error_type=refusal code=refusal status_code=1026 internal_code=2016
  or says (cyber|bio|misalignment) policy, data inspection failed, guardrail checks … failed
  or says invalid token; status 498; vendor cohere
  or says request blocked; status 403; vendor openrouter
  or code code=2016; vendor cloudflare
  eg returned {"promptFeedback":{"blockReason":"OTHER"}}
bad_json: bad_json typed · the answer cannot be read; a fresh one usually can
  code AI_NoObjectGeneratedError AI_TypeValidationError AI_InvalidStreamPartError SDKValidationError ResponseValidationError APIResponseValidationError
    OutputParserException OutputParsingError ModelBehaviorError AI_NoSuchToolError NoSuchToolError AI_InvalidToolInputError
    AI_InvalidToolArgumentsError AI_ToolCallRepairError
    finish_reason=malformed_function_call|malformed_response|unexpected_tool_call|too_many_tool_calls
    finish_reason=no_image|missing_thought_signature stop_reason=malformed_model_output|malformed_tool_use
    turn_complete_reason=malformed_function_call|need_more_input
  or says (tool use|json validate|tool call validation) failed, failed to (call a function|validate json),
    see failed generation, which was not in request tools, (error parsing|invalid) json response,
    malformed server sent event json, model returned no content, json schema validation error, output parsing failure
  eg litellm.JSONSchemaValidationError: See the documentation.
bad_json_hint: bad_json status · the answer cannot be read; a fresh one usually can
  code AI_NoContentGeneratedError AI_NoOutputGeneratedError AI_NoImageGeneratedError AI_NoSpeechGeneratedError
    AI_NoTranscriptGeneratedError finish_reason=other|image_other|unknown
  eg returned {"candidates":[{"index":0,"finishReason":"OTHER"}]}
starved: overloaded typed · the vendor cut the answer off for lack of capacity
  code finish_reason=insufficient_system_resource
  eg returned {"choices":[{"index":0,"finish_reason":"insufficient_system_resource","message":{"role":"assistant","content":""}}]}
server_error: server_error status · it failed on their side; the same request usually works later
  code model_request_failed_error internal data_loss GatewayResponseError finish_reason=error|network_error
  or status 424; vendor aws
  eg {"error":{"status":"INTERNAL","message":"See the documentation."}}
timed_out: timeout status · the job was not done in the time it had
  code finish_reason=timeout|time_limit status=expired|timeout|timed_out type=expired
  eg returned {"object":"thread.run","status":"expired","last_error":null}
aborted: aborted general · somebody or the program cancelled it
  code ModelAbortError GoogleGenerativeAIAbortError ClientClosedRequestError ResponseAborted
    finish_reason=abort|aborted|cancelled|canceled|user_cancelled stop_reason=cancelled status=cancelled|canceled type=canceled
    reason=client_cancelled|turn_detected
  eg {"message":"it failed","code":"ModelAbortError"}
billing: billing specific · money, credit or the plan ran out, or a payment is due; waiting does not fix that
  says specified (workspace|) api usage limits, enforced spend limit; unless regain access
  or says (billing|exceeded current quota) error, (invalid|valid) payment instrument, exceeded your monthly included credits,
    monthly included credits for inference, account is in good standing, free tier only, service stop arrears,
    (resource pack|charge resource) exhausted
  or code organization_usage_limit_exceeded project_usage_limit_exceeded limit_source=openrouter_credits status_code=1008
  or status 412; vendor fireworks; unless adapter
  or code code=1113|1309; status 429; not mistral minimax cloudflare baidu mysql
  or code quota_exceeded free_quota_exceeded; status 402
  or says membership benefits … (expired|invalid|inactive|unavailable)
  eg Access denied, please make sure your account is in good standing.
usage_limit: usage_limit specific · the window of a plan is used up; it works again when the window rolls
  code anthropic-ratelimit-unified-status=rejected status_code=2056
  or says agent mode limit exceeded, (exceeded|reached|over|hit) … copilot token usage, copilot token usage … (exceeded|limit|reached)
  or says exceed your accounts rate limit
  or code code=1308|1310; status 429; not mistral minimax cloudflare baidu mysql
  eg returned {"base_resp":{"status_code":2056,"status_msg":"See the documentation."}}
config: config typed · a setting is wrong or missing; somebody has to change it
  code cmek_key_disabled cmek_key_network_blocked privacy_restricted constraint_filtered wrong_endpoint not_supported_error
    AI_LoadSettingError AI_NoSuchProviderError AI_NoSuchProviderReferenceError internal_code=2001
  or says service tier is not (allowed|available|supported), data residency mismatch,
    operation does not work with the specified model, please configure ai gateway
  eg thrown {"name":"AI_NoSuchProviderError","message":"See the documentation."}
server_error_named: server_error typed · it failed on their side; the same request usually works later
  code cmek_key_unreachable cmek_context_unavailable registration_pending status_code=1000|1024|1033 error_code=336000|336100
  or says prediction interrupted, engine (dead|generate) error, engine core encountered an issue
  or code error_code=1|2; vendor baidu
  eg EngineDeadError
auth: auth typed · the key, token or login is missing, wrong or expired
  says verification required, cloud credential error, auth failure, invalid (subject|refresh) token,
    refresh token (reused|expired|invalidated|revoked|not found), refresh token (was|has) (already|) (been|) (used|revoked|expired),
    invalid client token id, unrecognized client exception, (credentials|token) provider error,
    an error occurred (request expired|expired token|invalid action|not authorized|opt in required), request time too skewed
  or code RequestExpired InvalidAction OptInRequired auth_error expired_key token_not_found_in_db AI_LoadAPIKeyError
    LoadAPIKeyError InvalidWebhookSignatureError validation_required status_code=1004|2049 internal_code=2009
  or code error_code=3|6|13|14|15|100|110|111; vendor baidu
  eg InvalidClientTokenId
invalid_request: invalid_request typed · the request itself is wrong; the same again fails the same way
  code tool_name_conflict tool_reference_unresolved thread_fingerprint_mismatch image_too_small image_parse_error
    unsupported_image_media_type empty_image_file failed_to_download_image UnsupportedOperation
    status_code=1042|2013|2037|2038|2039|2040|2041|2042|2043|2044|2046|2047|2048
    error_code=336001|336002|336003|336004|336005|336006|336104|336105 internal_code=5004|3003|3039
  or says the model returned the following errors, unsupported params error
  or code code=1210|1212|1213|1214|1215|1222; vendor zhipu
  eg {"message":"it failed","code":"tool_name_conflict"}
api_error: server_error last · the fallback type; others use it even for 429 and 503, so anything else beats it
  code api_error
  eg {"type":"error","error":{"type":"api_error","message":"See the documentation."}}
fetch_failed: not_found typed maybe · a server tool could not fetch a page
  code error_code=url_not_accessible|url_not_allowed
  eg {"type":"web_fetch_tool_result_error","error_code":"url_not_accessible"}
tool_input: invalid_request typed maybe · the model called a server tool with invalid input
  code error_code=query_too_long|invalid_tool_input|url_too_long|unsupported_content_type
  eg {"type":"web_search_tool_result_error","error_code":"invalid_tool_input","message":"try again later"}
tool_uses: max_steps typed · the limit of steps that the caller set was reached
  code tool_use_limit_reached_error compaction_limit_reached_error GraphRecursionError error_code=max_uses_exceeded
    rate_limit_type=max_iterations
  eg {"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}
forbidden_cause: forbidden specific account · the account or key may not do that
  says usage not included, oauth org not allowed
  or code code=1110|1111|1112|1121; status 429; not mistral minimax cloudflare baidu mysql
  or code claude_code_key_creator_not_member organization_type_not_supported organization_not_enrolled_in_beta
    user_profile_not_found sandbox_egress_restricted api_key_scope_missing
  or says use case details have not been submitted
  eg {"type":"assistant","error":"oauth_org_not_allowed"}
overloaded: overloaded specific none · too much load from everybody; nothing was accepted, and it passes
  code resource_unavailable capacity_exhausted internal_code=3040
    reason=resource:cpu|resource:memory|resource:ports|resource:eni|resource:gpu
  or code code=3505; vendor mistral
  or says (queue|engine server limit) exceeded, integration rate limited, upstream provider rate limit
  or code code=1305|1312; status 429; not mistral minimax cloudflare baidu mysql
  or code code=3040; vendor cloudflare
  or status 498; vendor groq
  or status 504; vendor sambanova
  eg as groq {"status":498,"headers":{},"body":""}
timeout: timeout typed · a deadline passed after the request was sent
  code vector_store_timeout status_code=1001 internal_code=3007
  or says maximum duration of # (minutes|minute|hours|hour|seconds), maximum (session|call) duration, litellm timeout
  or code code=3007; vendor cloudflare
  eg as workers-ai {"code":3007,"message":"See the documentation."}
active_response: conflict typed none · the session is still busy with its last answer, although the type blames the request
  says already has (an|) active response
  eg {"type":"error","error":{"type":"invalid_request_error","code":"conversation_already_has_active_response","message":"See the documentation."}}
edge_block: unsupported_region specific · the page of the network in front of the API: this address is blocked
  says sorry you have been blocked, attention required …… cloudflare, cloudflare …… you have been blocked
  eg {"status":403,"headers":{},"body":"<html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1></html>"}
rate_limit: rate_limit specific · too many requests for now; it works again soon
  code in_flight_budget_exhausted limit_burst_rate
    quota_id=generaterequestsperminuteperprojectpermodel|generaterequestsperminuteperprojectpermodel-freetier
    quota_id=generaterequestsperminuteperprojectpermodel-paidtier|generatecontentinputtokenspermodelperminute
    quota_id=generatecontentinputtokenspermodelperminute-freetier|generatecontentinputtokenspermodelperminute-paidtier
    quota_id=generatecontentpaidtierinputtokenspermodelperminute|generatecontentpaidtierinputtokenspermodelperminute-freetier
    quota_id=generatecontentpaidtierinputtokenspermodelperminute-paidtier|generatecontentinputtokensperminuteperprojectpermodel
    quota_id=generatecontentinputtokensperminuteperprojectpermodel-freetier|generatecontentinputtokensperminuteperprojectpermodel-paidtier
    quota_id=generaterequestsperminuteperproject|generaterequestsperminuteperproject-freetier
    quota_id=generaterequestsperminuteperproject-paidtier limit_source=openrouter_in_flight_budget
    status_code=1002|1039|1041|2045 error_code=336501|336502 internal_code=2003
  or says provisioned throughput exceeded
  or code code=1300; also type=rate_limited
  or code error_code=18; vendor baidu
  eg {"message":"it failed","code":"limit_burst_rate"}
quota: quota specific · an allowance per day, month or project is used up
  says exceeded (the|your|) provisioned throughput, (api|) calls month, free models per day, (user|model) by day
  or code x-ratelimit-type=userbymodelbyday LimitExceeded limit_source=openrouter_free_tier_daily internal_code=3036
  or code code=3036; vendor cloudflare
  or code error_code=17|19; vendor baidu
  or code code=1304; status 429; not mistral minimax cloudflare baidu mysql
  or says (tpd|rpd) rate limit, quota user daily
  eg as baidu returned {"error_code":17,"error_msg":"See the documentation."}
forbidden_named: forbidden typed · the account or key may not do that
  code permission_denied permissiondenied service_disabled api_key_service_blocked api_key_http_referrer_blocked
    consumer_suspended consumer_invalid user_project_denied iam_permission_denied access_token_scope_insufficient
    resource_project_invalid internal_code=5016|5018|3023|3041
  or code code=5016|5018|3023|3041; vendor cloudflare
  or code code=1311; status 429; not mistral minimax cloudflare baidu mysql
  eg as workers-ai {"code":5016,"message":"See the documentation."}
timeout_cause: timeout specific · a deadline passed after the request was sent
  code deadline_exceeded deadlineexceeded APIConnectionTimeoutError
  eg thrown {"name":"APIConnectionTimeoutError","message":"Request timed out."}
google_aborted: conflict general · here "aborted" means that two writers collided; it was not cancelled
  code status=aborted; vendor google
  eg as gemini {"error":{"status":"ABORTED","message":"See the documentation."}}
precondition: invalid_request status · the state of the project or of the request forbids it
  code failed_precondition failedprecondition out_of_range unimplemented
  eg {"event_type":"error","error":{"code":"failed_precondition","message":"See the documentation."}}
model_not_found_cause: model_not_found specific · there is no such model here, or it was withdrawn
  says reached (the|its) end of (its|) life, model (decommissioned|not open)
  or code no_endpoints model_deprecated model_unavailable_upstream free_variant_ended internal_code=5007|3042
  or says model; code not_found_error
  or status 410; vendor sambanova
  or code code=5007|3042; vendor cloudflare
  or says (litellm|endpoint) not found (error|#)
  eg as sambanova {"status":410,"headers":{},"body":{"error":{"message":"See the documentation."}}}
no_such_item: not_found general · a resource named in the request does not exist, or is no longer in use
  code reason=missing|inactive
  eg returned {"services":[],"failures":[{"arn":"arn:aws:ecs:eu-west-1:1:service/x","reason":"MISSING"}]}
context_overflow_cause: context_overflow specific · the input does not fit the model
  says (inputs|input|prompt) tokens max (new|) tokens (parameter|) must be, tokens limit reached
  or code error_type=string_too_long|max_tokens_exceeded|token_limit_exceeded code=max_tokens_exceeded error_code=336007|336103
  or code code=1261; vendor zhipu
  eg tokens limit reached
too_dear: billing specific permanent · this one request costs more than the whole budget
  code weight_exceeds_budget
  eg {"status":402,"headers":{},"body":{"error":{"message":"See the documentation.","code":402,"metadata":{"error_type":"weight_exceeds_budget"}}}}
max_budget: max_budget specific none · the budget that the caller set was reached
  code limit_source=openrouter_guardrail_budget|openrouter_workspace_budget|openrouter_key_limit type=budget_exceeded
    rate_limit_type=budget
  or says set limit exceeded
  or status 412; vendor portkey
  eg as portkey {"status":412,"headers":{},"body":{"status":"failure","message":"See the documentation."}}
server_error_said: server_error general · it failed on their side; the same request usually works later
  code provider_unavailable error_type=unmapped|server
  or status 424 499; vendor copilot
  eg {"status":400,"headers":{},"body":{"error":{"code":"provider_unavailable","message":"See the documentation."}}}
database: server_error specific none · a 400 of a proxy that has lost its database
  says no db connection
  eg {"status":400,"headers":{},"body":{"error":{"message":"See the documentation.","type":"no_db_connection"}}}
denied: forbidden status · the class for a 403, which is many things
  says permission denied error
  eg thrown {"name":"PermissionDeniedError","message":"See the documentation."}
cut_stream: stream_cut typed · the helper read the stream to its end, and the answer was not complete
  says missing finish reason for choice, error reading from the stream, request ended without sending any chunks,
    stream ended without (producing|a finish chunk), incomplete json segment at the end
  eg thrown {"name":"OpenAIError","message":"missing finish_reason for choice 0"}
misuse: invalid_request specific · the client refused the call before sending anything
  code AI_InvalidDataContentError AI_InvalidMessageRoleError AI_MessageConversionError AI_MissingToolResultsError
    AI_TooManyEmbeddingValuesForCallError AI_UnsupportedFunctionalityError AI_InvalidPromptError
    GoogleGenerativeAIRequestInputError InvalidUpdateError
  or says streaming is (required for operations|strongly recommended), errors (invalid tool results|message coercion failure)
  eg thrown {"name":"AI_MessageConversionError","message":"See the documentation."}
model_access: forbidden specific · the key is valid but may not use this, even if an old proxy says 401
  says (model|tool) access denied
  eg {"status":401,"headers":{},"body":{"error":{"message":"See the documentation.","type":"team_model_access_denied"}}}
cloudflare_aborted: aborted specific · a 408 for a request that was cancelled
  code code=3008; vendor cloudflare
  eg as workers-ai {"status":408,"headers":{},"body":{"success":false,"errors":[{"code":3008,"message":"See the documentation."}]}}
`,
)
