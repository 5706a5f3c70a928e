import { page } from '../page.ts'

/** HTTP statuses, and headers that say it outright. */
export default page(
  'http',
  `
payment: billing specific · every vendor uses 402 for money, even if the text mentions tokens; a customer's declined card is not our account
  status 402; unless card error
  eg {"status":402,"headers":{},"body":""}
retry_is_useless: server_error told permanent maybe · a header of the service says that a retry does not help
  code x-should-retry=false stripe-should-retry=false; status 5xx
  eg {"status":500,"headers":{"x-should-retry":"false"},"body":{"error":{"message":"x"}}}
retry_helps: server_error typed · a header of the service says that a retry helps; a limit or a login named with it says more
  code x-should-retry=true stripe-should-retry=true; status 4xx 5xx
  eg {"status":400,"headers":{"x-should-retry":"true"},"body":{"error":{"message":"x"}}}
limit_empty: rate_limit typed · the RateLimit header says that nothing is left of a limit
  code ratelimit=empty; status 400 403 503
  eg {"status":403,"headers":{"ratelimit":"\\"default\\";r=0;t=30"},"body":""}
too_many: rate_limit typed · 429: too many requests in a window
  status 429
  eg {"status":429,"headers":{},"body":""}
overloaded: overloaded typed none · 529: the service is overloaded for all its users
  status 529
  eg {"status":529,"headers":{},"body":""}
login: auth typed · 401: the login is refused; 511: that of the network; 495, 496: the client certificate
  status 401 495 496 511 561
  eg {"status":401,"headers":{},"body":""}
login_page: auth typed · the server sends the caller to a login page
  code redirect=login; status 301 302 303 307 308
  or code page=login
  eg {"status":302,"headers":{"location":"https://sso.example.com/authorize?client_id=x"},"body":""}
proxy_login: auth specific · 407: a proxy in between wants a login; the vendor's login does not matter
  status 407
  or says proxy (authorization|authentication) (is|) required, proxy refused the tunnel
  eg {"status":407,"headers":{},"body":""}
forbidden: forbidden status · 403: authenticated but not allowed; 999: mistaken for a bot
  status 403
  or code status=999
  eg {"status":403,"headers":{},"body":""}
not_found: not_found status · 404 and 410: not there
  status 404 410
  eg {"status":404,"headers":{},"body":""}
request_timeout: timeout typed · 408: the server gave up waiting
  status 408
  eg {"status":408,"headers":{},"body":""}
gateway_timeout: gateway_timeout typed · a gateway timed out; the service behind it may still be working
  status 504 522 524 598 599
  eg {"status":504,"headers":{},"body":""}
client_closed: gateway_timeout status · 499 as a response: a hop in between gave up
  status 499
  eg {"status":499,"headers":{},"body":""}
client_left: aborted status · 460: the load balancer saw our side hang up
  status 460
  eg {"status":460,"headers":{},"body":""}
conflict: conflict status none · 409: a conflict; SDKs retry it
  status 409
  eg {"status":409,"headers":{},"body":""}
precondition: conflict status permanent · 412: read again before writing
  status 412
  eg {"status":412,"headers":{},"body":""}
too_large: request_too_large typed · 413, 431, 494: body or headers too large
  status 413 414 431 494
  eg {"status":413,"headers":{},"body":""}
invalid: invalid_request status · the request is refused as sent
  status 400 405 406 411 415 416 417 422 428 501
  eg {"status":501,"headers":{},"body":""}
version: version_mismatch status · 426 and 505: another protocol version is required
  status 426 505
  eg {"status":426,"headers":{},"body":""}
legal: unsupported_region typed · 451: legal reasons
  status 451
  eg {"status":451,"headers":{},"body":""}
locked: lock status none · 423: locked by another user
  status 423
  eg {"status":423,"headers":{},"body":""}
wrong_connection: network status none · 421, 425: guaranteed unprocessed; 521, 523: Cloudflare could not reach the origin
  status 421 425 521 523
  eg {"status":421,"headers":{},"body":""}
storage: disk_full typed · 507: storage full
  status 507
  eg {"status":507,"headers":{},"body":""}
loop: config status · 508, 463, 464: the setup between us and the service is wrong
  status 508 463 464 497
  eg {"status":508,"headers":{},"body":""}
bandwidth: quota typed · 509: bandwidth used up
  status 509
  eg {"status":509,"headers":{},"body":""}
unavailable: overloaded status · 503: not now; unless it says when to come back, the request may have got through
  status 503
  eg {"status":503,"headers":{},"body":""}
server: server_error status · the service failed
  status 500 502 520 527 530 5xx
  eg {"status":500,"headers":{},"body":""}
client: invalid_request last · a refusal with an undefined status
  status 418 420 424 4xx
  eg {"status":418,"headers":{},"body":""}
`,
)
