import { page } from '../page.ts'

/** HTTP clients, proxies, gateways, TLS and web sockets. */
export default page(
  'transport',
  `
rate: rate_limit specific · too many requests for now; it works again soon
  code x-envoy-ratelimited=true x-vercel-error=function_throttled cloudflare=1015|1200 cloudflare_category=rate_limit
  or says banned you temporarily from accessing, too many tls handshakes
  eg The owner of this website has banned you temporarily from accessing it
quota: quota specific · an allowance per day, month or project is used up
  code cloudflare=1025|1027
  or code "message=limit exceeded"; status 429
  eg {"status":429,"headers":{},"body":{"message":"Limit Exceeded"}}
blocked: forbidden specific · the account or key may not do that
  code cf-mitigated=challenge cloudflare=1005|1006|1007|1008|1010|1012|1020|1106|1107|1108|1109
    cloudflare_category=access_denied close=1008|3003
  or says title just a moment
  or code ERR_BAD_REQUEST; status 403
  eg {"type":"close","code":1008,"reason":"","wasClean":false}
country: unsupported_region specific · the site does not serve this country, by its own rule or by law
  code cloudflare=1009|1026|1039 cloudflare_category=legal
  eg {"status":403,"headers":{},"body":{"title":"Error 1009","status":403,"cloudflare_error":true,"error_code":1009,"error_category":"access_denied","retryable":false}}
site_setup: config specific · a setting is wrong or missing; somebody has to change it
  code x-vercel-error=deployment_paused x-vercel-error=infinite_loop_detected
    cloudflare=1000|1001|1002|1003|1013|1014|1016|1018|1019|1023|1034|1035|1036|1037|1040 cloudflare=1041|1043|1047|1049
    cloudflare_category=config cloudflare_retryable=false curl=1|2|3|4|47 type=max-redirect|no-redirect|unsupported-redirect
  or says deployment paused, redirected (# times|too many times), toomanyredirects,
    unexpected redirect, convert argument to a byte string, invalid (character in header content|header value)
  or code errno=-505; also ERR_HTTP2_ERROR
  eg thrown {"message":"Protocol error","code":"ERR_HTTP2_ERROR","errno":-505}
tls: tls specific · the certificate or the encryption is not accepted
  code proxy-status=tls_certificate_error proxy-status=tls_protocol_error proxy-status=tls_alert_received
    DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN CERT_HAS_EXPIRED CERT_NOT_YET_VALID HOSTNAME_MISMATCH CERT_REVOKED
    CERT_REJECTED CERT_UNTRUSTED CERT_CHAIN_TOO_LONG CERT_SIGNATURE_FAILURE INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED
    CRL_HAS_EXPIRED CRL_NOT_YET_VALID CRL_SIGNATURE_FAILURE UNABLE_TO_GET_CRL UNABLE_TO_GET_CRL_ISSUER
    UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY
    ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD
    SSLCertVerificationError SSLHandshakeException ETLS EPROTO UND_ERR_PRX_TLS SecureProxyConnectionError
    cloudflare=1017|1028|1029|1044|525|526 cloudflare_category=tls|ssl curl=51|53|54|58|60|64|66|77|80|82|83|90|91 close=1015
  or says eproto, certificate key too weak, (does not match certificates|not in the certs) altnames, setting certificate file,
    err cert (authority|date|common|revoked|invalid|weak|name),
    err ssl … (handshake failure|bad certificate|certificate unknown|certificate expired|certificate revoked|unsupported certificate|illegal parameter|protocol version|unknown ca|insufficient security|no application protocol|unrecognized name|no protocols available|unsupported protocol|version number|protocol error|cipher mismatch),
    sslv3 alert (handshake failure|bad certificate|certificate unknown),
    ssl tls alert (handshake failure|bad certificate|certificate unknown|illegal parameter),
    ssl (protocol error|version or cipher mismatch), server speak tls on this port
  or status 525 526
  eg {"type":"close","code":1015,"reason":"","wasClean":false}
headers: request_too_large specific · the request exceeds a size limit
  code cloudflare=1038 close=1009
  eg {"type":"close","code":1009,"reason":"","wasClean":false}
redirects: server_error specific none · too many redirects at the edge; Cloudflare itself says a retry works
  code cloudflare=1205; also cloudflare_retryable=true
  eg {"status":403,"headers":{},"body":{"title":"Error 1205","status":403,"cloudflare_error":true,"error_code":1205,"error_category":"rewrite","retryable":true,"retry_after":5}}
timeout: timeout typed · a deadline passed after the request was sent
  code curl=28 close=3008
  eg {"type":"close","code":3008,"reason":"","wasClean":false}
eof: eof typed · the other side hung up
  code UND_ERR_SOCKET curl=52
  or says socket connection was closed unexpectedly, closed before message completed
  eg {"exitCode":52,"signal":null,"stdout":"","stderr":"curl: (52) nothing came"}
stream_cut: stream_cut general · the answer broke off before its end
  code curl=18|16|92|95 close=1005
  or says stream was reset, stream id # (internal error|protocol error|cancel), not closed cleanly, http # (framing layer|protocol error)
  eg {"type":"close","code":1005,"reason":"","wasClean":false}
write: io status · the answer could not be written to disk
  code curl=23
  eg {"exitCode":23,"signal":null,"stdout":"","stderr":"curl: (23) x"}
max_size: max_size typed · the size limit that the caller set was reached
  code curl=63 type=max-size
  eg {"exitCode":63,"signal":null,"stdout":"","stderr":"curl: (63) x"}
network: network typed none · the connection could not be made or broke
  says reset reason (local|remote|) connection failure, client error connect (tcp connect error|tls handshake eof|connection)
  or code proxy-status=connection_refused proxy-status=destination_unavailable proxy-status=destination_ip_unroutable
    proxy-status=destination_not_found ERR_HTTP2_INVALID_SESSION ERR_HTTP2_GOAWAY_SESSION curl=7|55|56 cloudflare=1004|1033
  or says tunneling socket could not be established; status 5xx
  eg {"exitCode":7,"signal":null,"stdout":"","stderr":"curl: (7) x"}
overloaded: overloaded typed none · too much load from everybody; nothing was accepted, and it passes
  says reset reason (overflow|overload manager reset), refused stream, stream refused by server
  or code x-envoy-overloaded=true proxy-status=connection_limit_reached http2=refused_stream
  eg thrown {"message":"Stream closed with error code NGHTTP2_REFUSED_STREAM","code":"ERR_HTTP2_STREAM_ERROR"}
gateway_timeout: gateway_timeout typed · a gateway waited too long for what is behind it
  code x-vercel-error=function_invocation_timeout x-vercel-error=edge_function_invocation_timeout
    x-vercel-error=middleware_invocation_timeout proxy-status=http_response_timeout proxy-status=connection_read_timeout
    proxy-status=connection_write_timeout code=h12|h15
  or says stream timeout
  eg stream timeout
server_error: server_error typed · it failed on their side; the same request usually works later
  code x-vercel-error=function_invocation_failed x-vercel-error=no_response_from_function
    x-vercel-error=edge_function_invocation_failed HTTPParserError InvalidHTTPResponse HPE_INVALID_VERSION HPE_INVALID_STATUS
    HPE_INVALID_HEADER_TOKEN HPE_INVALID_CONTENT_LENGTH HPE_INVALID_TRANSFER_ENCODING HPE_UNEXPECTED_CONTENT_LENGTH HPE_STRICT
    HPE_CR_EXPECTED HPE_LF_EXPECTED HPE_CHUNK_EXTENSIONS_OVERFLOW HPE_INTERNAL HPE_USER HPE_INVALID_METHOD HPE_INVALID_URL
    close=1011|1014
  or code http2=internal_error|protocol_error|cancel|flow_control_error|frame_size_error http2=compression_error
  also ERR_HTTP2_STREAM_ERROR
  or says response does not match the http # # protocol, invalid http version parsed, parse error (invalid|missing|unexpected)
  unless expected http
  eg {"type":"close","code":1011,"reason":"","wasClean":false}
limit_for_json: rate_limit general · the JSON parser quotes the start of what came instead: a plain 429
  says unexpected token … (too many r|rate limit|ratelimit)
  eg thrown {"name":"SyntaxError","message":"Unexpected token 'T', \\"Too Many R\\"... is not valid JSON"}
stream_cut_named: stream_cut typed · the answer broke off before its end
  code HPE_INVALID_CHUNK_SIZE code=h13|h17|h18|h27|h28
  or says stream has been aborted, server aborted pending request, invalid response body while trying to fetch
  or code UND_ERR_SOCKET; also message=terminated
  eg Invalid response body while trying to fetch https://api.example.com/v1
absent: not_found general · what was asked for does not exist
  code ERR_BAD_REQUEST; status 404 410
  or code curl=26|37|78
  eg {"exitCode":37,"signal":null,"stdout":"","stderr":"curl: (37) Couldn't open file /x"}
calm_down: rate_limit typed maybe · the peer closed the connection because we send too much
  code http2=enhance_your_calm
  or says enhance your calm, too many pings
  eg thrown {"message":"Session closed with error code 11","code":"ERR_HTTP2_SESSION_ERROR"}
network_named: network typed · the connection could not be made or broke
  code ERR_HTTP2_SESSION_ERROR
  or says alert (internal error|user cancelled|user canceled|bad record mac|decrypt error|decode error), bad record mac,
    unexpected eof while reading, eof occurred in violation of protocol, terminated the handshake, ssl error syscall
  eg thrown {"message":"SSL alert number 80","code":"ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR"}
network_said: network general · the connection could not be made or broke
  says goaway
  or code close=1001|1006|1012
  eg {"type":"close","code":1006,"reason":"","wasClean":false}
again: dns typed none · the name could not be looked up right now
  code EAI_FAIL ESERVFAIL EREFUSED EBADRESP proxy-status=dns_error proxy-status=dns_timeout
    x-vercel-error=dns_hostname_resolve_failed x-vercel-error=dns_hostname_not_found x-vercel-error=dns_hostname_server_error
    curl=5|6
  eg {"message":"it failed","code":"EAI_FAIL"}
no_such_name: dns specific permanent · the name cannot exist, has no such record, or cannot be queried: a mistyped address
  code ENOTFOUND; also host=reserved syscall=query
  or code EAI_NODATA ENODATA EBADNAME ENONAME EAI_NONAME EFORMERR ENOTIMP EBADQUERY
  or says (enotfound|resolve host|resolve hostname|no such host) … (invalid|localdomain)
  eg thrown {"message":"getaddrinfo ENOTFOUND api.nowhere.invalid","code":"ENOTFOUND","syscall":"getaddrinfo","hostname":"api.nowhere.invalid"}
cancelled: aborted specific none · the call was cancelled before it was answered
  code ECANCELLED EAI_CANCELED ECANCELED
  eg thrown {"message":"queryA ECANCELLED","code":"ECANCELLED"}
config_cause: config specific maybe · a setting is wrong or missing; somebody has to change it
  code HPE_INVALID_CONSTANT UND_ERR_HEADERS_OVERFLOW HPE_HEADER_OVERFLOW
  eg thrown {"name":"TypeError","message":"fetch failed","cause":{"message":"Headers Overflow Error","code":"UND_ERR_HEADERS_OVERFLOW"}}
misuse: code_bug typed none · the client was misused, or used after it was closed
  code UND_ERR_REQ_CONTENT_LENGTH_MISMATCH UND_ERR_INVALID_ARG UND_ERR_INVALID_RETURN_VALUE UND_ERR_NOT_SUPPORTED
    UND_ERR_BPL_MISSING_UPSTREAM UND_ERR_MAX_ORIGINS_REACHED UND_MOCK_ERR_MOCK_NOT_MATCHED UND_ERR_DESTROYED UND_ERR_CLOSED
    ClientDestroyedError ClientClosedError
  eg thrown {"name":"TypeError","message":"fetch failed","cause":{"message":"Request body length does not match content-length header","code":"UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"}}
`,
)
