import { page } from '../page.ts'

/** Services that agents call: mail, chats, clouds, payments, MCP and gRPC. */
export default page(
  'service',
  `
conflict: conflict typed none · two changes collided
  code OperationAborted TransactionInProgressException LeaseAlreadyPresent idempotency_key_in_use grpc=aborted
  or says code operation aborted code, conflicting conditional operation, (streamable http error|posting to endpoint) … session not found,
    mcp session (not found|expired|has expired|is invalid), another in progress request using this
  or code code=aborted status=aborted; status 409
  or says session not found
  code code=-32001|-32000
  eg thrown {"message":"10 ABORTED: x","code":10,"details":"x","metadata":{}}
config: config typed · a setting is wrong or missing; somebody has to change it
  code RequestInTheFuture PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException
    code=-32020|-32021 error=unsupported_grant_type|unsupported_response_type|invalid_scope|invalid_redirect_uri
    error=redirect_uri_mismatch|invalid_client_metadata|invalid_target|unapproved_software_statement
  or says difference between the request time and the current time,
    must (be addressed using the specified endpoint|accept both application json), server not initialized,
    mcp session id header is required, missing required client capability,
    required for (tools|sampling|prompts|resources|elicitation|roots|logging|completion)
  eg {"status":400,"headers":{},"body":{"error":"unsupported_grant_type"}}
aborted: aborted general · somebody or the program cancelled it
  code grpc=cancelled
  or code code=-32001; unless header
  eg thrown {"name":"McpError","message":"MCP error -32001: the caller went away","code":-32001}
reset: stream_cut typed · the server reset the stream; the code says cancelled, although no side cancelled
  says received rst stream; code grpc=cancelled
  eg thrown {"message":"1 CANCELLED: Received RST_STREAM with code 8","code":1,"details":"Received RST_STREAM with code 8","metadata":{}}
server: server_error general · the server failed, or its answer could not be read
  code grpc=unknown|internal
  eg thrown {"message":"2 UNKNOWN: boom","code":2,"details":"boom","metadata":{}}
invalid_request: invalid_request typed · the request itself is wrong; the same again fails the same way
  code card_error StripeCardError card_declined grpc=invalid_argument|failed_precondition|out_of_range code=-32600|-32602
    error=msg_too_long|invalid_blocks|no_text|invalid_arguments|invalid_arg_name|invalid_array_arg
    error=invalid_charset|invalid_form_data|invalid_post_type|too_many_attachments
    error=is_archived|msg_blocks_too_long|cant_update_message|edit_window_closed
  or says http status code; code grpc=internal|unknown; status 400 422
  eg returned {"ok":false,"error":"msg_too_long"}
connect_timeout: connect_timeout typed none · no connection was made in time
  says waiting for lb pick; code grpc=deadline_exceeded
  or says greeting never received
  eg thrown {"message":"Greeting never received","code":"ETIMEDOUT","command":"CONN"}
deadline: timeout typed · the deadline of the call passed
  code grpc=deadline_exceeded
  eg thrown {"name":"ConnectError","message":"x","code":4}
not_found: not_found typed · what was asked for does not exist
  code grpc=not_found smtp=550|551|553 error=channel_not_found|not_in_channel|user_not_found|users_not_found|message_not_found
    error=thread_not_found|file_not_found
  or code response_code=550|551|553; also EENVELOPE EMESSAGE EPROTOCOL EAUTH ESOCKET ECONNECTION
  or says not found; code code=-32602
  eg returned {"ok":false,"error":"not_in_channel"}
forbidden: forbidden typed · the account or key may not do that
  code grpc=permission_denied error=missing_scope|not_allowed_token_type|restricted_action|no_permission|access_denied
    error=ekm_access_denied|team_access_not_granted|enterprise_is_restricted|cant_post_message error=cannot_dm_bot
  eg returned {"ok":false,"error":"restricted_action"}
network_named: network typed none · the connection could not be made or broke
  says no connection established; code grpc=unavailable
  or code "message=not connected"
  eg thrown {"message":"Not connected"}
unavailable: overloaded status · not now; the details may say more
  code UNAVAILABLE grpc=unavailable
  eg thrown {"message":"14 UNAVAILABLE: x","code":14,"details":"x","metadata":{}}
later: overloaded specific none · a 4xx reply: busy, greylisted or out of a resource; it works minutes later
  code smtp=421|450|451|452|454
  or code response_code=421|450|451|452|454; also EENVELOPE EMESSAGE EPROTOCOL EAUTH ESOCKET ECONNECTION
  eg thrown {"message":"Message failed: 451 4.3.0 Local error in processing","code":"EENVELOPE","responseCode":451,"command":"RCPT TO"}
rate_limit_cause: rate_limit specific · too many requests for now; it works again soon
  says too many (login|attempts|connections|concurrent|emails|mails); code smtp=421|450|451|452|454|550
  or says (unusual|sending) rate; code response_code=421|450|451|452|454|550; also EENVELOPE EMESSAGE
  or code code=20429|30001|14107|63018 throttling=true grpc=resource_exhausted
  or says ec2throttledexception, rate exceeded, code slow down code, bandwidth exhausted
  eg thrown {"name":"ConnectError","message":"x","code":8}
quota: quota specific · an allowance per day, month or project is used up
  code ratelimit-reason=jira-quota-global-based ratelimit-reason=jira-quota-tenant-based ratelimit-reason=quota
    LimitExceededException smtp=5.4.5
  eg {"status":429,"headers":{"ratelimit-reason":"jira-quota-global-based"},"body":""}
auth_cause: auth specific · the key, token or login is missing, wrong or expired
  code EOAUTH2 ENOAUTH smtp=530|534|535
    error=invalid_auth|not_authed|token_revoked|token_expired|account_inactive|org_login_required
    error=two_factor_setup_required|invalid_token|invalid_grant|invalid_client|unauthorized_client
    error=login_required|interaction_required|consent_required|authorization_pending error=expired_token grpc=unauthenticated
    code=-32042 message=invalid_grant|invalid_client
  or code response_code=530|534|535; also EENVELOPE EMESSAGE EPROTOCOL EAUTH ESOCKET ECONNECTION
  or says url elicitation required, error invalid (grant|client)
  eg {"message":"it failed","code":"EOAUTH2"}
login_failed: auth general · the login failed; the reply may say that this is temporary
  code EAUTH
  eg thrown {"message":"x","code":"EAUTH","command":"CONN"}
size: request_too_large typed · the mail or the mailbox is too large
  code smtp=552
  or code response_code=552; also EENVELOPE EMESSAGE EPROTOCOL EAUTH ESOCKET ECONNECTION
  eg thrown {"message":"Message failed: 552 5.3.4 Message size exceeds fixed limit","code":"EMESSAGE","responseCode":552,"command":"RCPT TO"}
content: content_policy typed · the mail is refused for its content or its origin
  code smtp=554
  eg thrown {"message":"Message failed: 554 5.7.1 Message rejected as spam","code":"EMESSAGE","responseCode":554,"command":"RCPT TO"}
not_connected: network status none · no connection to the mail server
  code ECONNECTION EPROXY
  eg thrown {"message":"x","code":"EPROXY","command":"CONN"}
invalid: invalid_request last · the sender, a recipient or the content is invalid
  code EENVELOPE EMESSAGE
  eg thrown {"message":"No recipients defined","code":"EENVELOPE","command":"CONN"}
connection_full: overloaded last · this connection may not send more mails; a fresh one may
  code EMAXLIMIT
  eg thrown {"message":"x","code":"EMAXLIMIT","command":"CONN"}
version_mismatch: version_mismatch specific · the versions do not fit; somebody has to update
  code code=-32601|-32022
  eg {"message":"it failed","code":-32601}
internal: unknown general · the code for any error inside a server; alone it says nothing
  code "mcp=-32603 internal error"
  or code "message=internal error"; also code=-32603
  eg thrown {"name":"McpError","message":"MCP error -32603: Internal error","code":-32603}
given_up: network status · the connection could not be made or broke
  says maximum reconnection attempts, failed to reconnect, unexpected connection closure
  or code ESOCKET
  eg thrown {"message":"unexpected connection closure"}
failed: server_error typed · Slack failed, perhaps after it had begun
  code error=fatal_error|internal_error|team_added_to_org
  eg returned {"ok":false,"error":"fatal_error"}
`,
)
