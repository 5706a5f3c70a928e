import { page } from '../page.ts'

/** Deadlines that passed. */
export default page(
  'time',
  `
timed_out: timeout general · a deadline passed after the request was sent, so it may have been served
  says (terminated|closed|ended|stopped|cancelled|canceled|killed|failed|aborted) (due to|because of|by|after|on) (a|an|the|) … timeout,
    (deadline|time limit|time budget) of # … (passed|expired|elapsed|is over|ran out), (waited|waiting) # … (giving up|gave up|given up),
    (giving|gave) up (waiting|after waiting),
    (idle|inactive|silent) (for|) # (seconds|minutes|s|min|ms|sec|secs) … (closing|closed|disconnecting|disconnected|stopping|stopped|ending|terminated|killing|killed|aborting),
    waited # … (but|without|and) (no|none|nothing|got), (exceeded|exceeds) # (s|ms|sec|seconds|minutes|min|m|minute|hours),
    (hit|reached|exceeded) (the|its|our|your|a) # (second|minute|hour|s|min|m|h) (time|) (limit|timeout|deadline|maximum),
    # (second|minute|hour) (time limit|timeout|deadline),
    (killed|terminated|stopped|cancelled|aborted) (after|because it ran) # (s|ms|sec|seconds|minutes|min),
    (did not|didnt) (finish|complete) (in|within|before), (stopped|not) responding (after|for) #, operation … (took|takes|taking) too long,
    took (more than|over) # ({time}), (not|never|no) … within (the|) # ({time}), no (reply|response|answer) … (in|after) # ({time}),
    (not|never) (receive|received|get|got) (a|an|any|the) (response|reply|answer) (in|within|after), (ran|run|running|is|are) out of time,
    time budget (is|was|has been|) ({spent}), (not|never) (become|became|get|come) (ready|healthy|available|up) (in|within|after),
    timeout (#|) (ms|milliseconds|seconds|s|sec|minutes|min|) (was|has been|) (exceeded|reached|expired|elapsed),
    (exceeded|exceeding|over|past|hit) (the|its|a|our|) … timeout, # (seconds|ms) exceeded, waiting failed,
    no (response|answer|reply) (was|has been|) (received|returned|came|from|back) (from|by|) (the|your|any|) (provider|model|server|upstream|backend|api|agent|service|endpoint|host|llm),
    (did not|didnt|does not|doesnt|failed to|has not|hasnt|never) (respond|properly respond|responded|reply|replied|answer|answered|respond to|produce|return) … (in time|within|after|for|before),
    (provider|model|server|upstream|backend|service|agent|tool|host|api|app|application|function|worker) (did not|didnt|failed to|has not|never) (respond|responded|reply|answer|answered),
    (window|deadline|time limit|time|lease|period) (has|had|) (expired|elapsed|run out|passed) (before|while|waiting),
    before … (window|deadline|time limit) (expired|elapsed|passed|ended), zeitlimit, (tiempo|tempo) de espera, tempo limite,
    (ran|run|running) (for|) (too long|longer than), (reached|hit|exceeded) … (execution|run|wall|processing) time (limit|), gave up after,
    (timed|time|timing) out, timedout,
    timeout (error|exceeded|expired|waiting|while|during|in|on blocking|on read|on write|after|reached|occurred|awaiting|exception|fired|of|#),
    (read|request|response|query|socket|write|stream|operation|network|body|headers|header|i o|io|api|model|tool|statement|command|execution|llm|step|first token|idle|sse|session|call|pool|connection pool|due to) timeout,
    took (too long|longer than), (maximum|max) (execution|compute|run|running|processing|build) time,
    (execution time|max duration) exceeded, (within|in) the (timeout|time limit|deadline|allotted time|time allotted), etimedout,
    esockettimedout, no response from, no (response|answer|reply|data|output) (received|) (within|after|in) #,
    (not|never) (finish|finished|complete|completed|respond|responded) (within|in) #, wall clock, time limit (exceeded|reached),
    nicht (innerhalb|rechtzeitig) … geantwortet, délai … (dépassé|expiré|écoulé), (a|tiempo|время) (expiré|límite|ожидания),
    délai d attente, таймаут, (時間切れ|応答がありません|시간 초과|无响应|超时|タイムアウト)
  unless timeout … (is|must be) (less|greater|more|larger|smaller|longer|shorter) than, certificate, license,
    timeout (#|) (is|must|should) (not|be|invalid|illegal)
  eg Error: Request timed out
overdue: timeout last · words for a wait that was too long, if nothing else is said
  says (not|never) … in time, (max|maximum) wait, (ran|went|run) over … # ({time}), overran, time (has|is|was|) (expired|elapsed|over|up), (after|waited|waiting|for) # ({time}), took … too long
  eg the handshake was not completed in time
stated: timeout specific · names the time that passed; what was closed or refused afterwards is only a consequence
  says (did not|didnt|not) … before the (given|) deadline, (cancelled|canceled|aborted|killed|stopped|terminated) (because|as) (it|the|they) (ran|took|exceeded|had|was|were) … # ({time}),
    (cancelled|canceled|aborted|killed|stopped|terminated) after waiting,
    timeout (of|after|) # (ms|s|sec|seconds|milliseconds|minutes|) (was|has been|) (exceeded|reached|expired|elapsed)
  eg locator.click: Timeout 5000ms exceeded. Target page, context or browser has been closed
deadline: timeout typed · gRPC's and Go's words for a deadline; the cancellation that follows is not an abort
  says deadline (exceeded|has elapsed|reached|passed|expired|missed), (exceeded|missed|passed|past) (its|the|our|your|) deadline
  eg ERROR: failed to solve: context deadline exceeded
one_word: timeout general · the message is only the word "timeout"
  code message=timeout error=timeout cause=timeout
  eg thrown {"message":"timeout"}
few_words: timeout status · the message only says whose timeout it was
  code said=timeout
  eg thrown {"message":"bridge timeout"}
connect_timeout: connect_timeout typed none · the connection was never made, so nothing was sent
  says (connect|connection) (timed out|timeout|etimedout), (tls|ssl) handshake timeout, opening handshake has timed out,
    (timeout waiting to connect|while waiting for connection), connect to … timed out, dial tcp … i o timeout, waiting for server initialization; unless connection timed out after
  eg connect ETIMEDOUT 203.0.113.7:443
gateway: gateway_timeout general · a hop in between timed out waiting for the service; the work may continue
  says gateway (timeout|time out), (endpoint request|upstream) timed out, (upstream request|invocation) timeout
  eg upstream request timeout
stall: stall general · the stream stayed open but stopped sending
  says (idle|chunk|body) timeout, stalled, (stream|connection|session) (was|is|has been|) idle (for|too long|longer),
    waiting for (the|) first (token|byte|chunk), no output for,
    no (tokens|chunks|bytes|data|events|output|progress|activity) (were|was|) (received|arrived|seen|produced|) (for|in|within) #,
    no (activity|progress|heartbeat) (for|since), (heartbeat|heartbeats|keepalive) (was|were|) (missed|lost|late), missed (a|the|#|) (heartbeat|heartbeats), # (s|sec|seconds|min|minutes|ms) (of|without) (inactivity|silence|activity|progress|output), (sse read|stream) timed out
  eg stream disconnected before completion: idle timeout waiting for SSE
`,
)
