import { page } from '../page.ts'

/** Failures on the other side that say little else. */
export default page(
  'server',
  `
error: server_error status · the service itself failed; this usually passes
  says if (this|the) (error|problem|issue) (persists|continues|keeps happening),
    (trouble|difficulty|difficulties|problems) (reaching|connecting|contacting|communicating|processing|loading|handling),
    all (upstream|available|configured|fallback|) (providers|models|backends|upstreams|endpoints|attempts|retries|servers) (have|) (failed|exhausted),
    (provider|upstream|backend|service) (failed|is failing|has failed|error), something (went|broke|has gone|is) wrong … (try again|retry|on our|executing your|processing your|handling your),
    (error|problem|issue|failure|happened|occurred|wrong|broke|failed) (on|at) our (end|side|servers),
    (please|kindly) (try again|retry),
    (encountered|experienced|had|ran into) (a|an|some|) (problem|issue|internal problem|unexpected problem|internal error|unexpected error|unknown error),
    returned an unexpected (response|status|result|answer),
    unexpected (response|status|answer) (from|of) (the|) (server|backend|upstream|api|provider),
    (could not|couldnt|cannot|unable to) (complete|process|fulfill|handle|serve) (your|the|this) request (at this time|right now|now|at the moment|currently),
    internal (failure|fault|exception|problem|issue|server), (error|erro) interno, interner fehler, erreur serveur,
    serverfehler, (error del|erro no) servidor, internal (server|service|) (error|err),
    server (had an error|error|side issue|encountered), bad gateway, (an error occurred while processing|retry) your request, upstream (error|request failed|provider),
    (provider returned|web server is returning an unknown) error, temporary (error|failure|problem|issue|errors),
    usually temporary, transient (error|failure|api error), (retry recommended|must be retried|should be retried|can be retried|may be retried), (retry|try again) (in|after) #,
    (erreur|problème|внутренняя) (interne|ошибка), ошибка сервера, (サーバーエラー|内部エラー|서버 오류|내부 오류|服务异常|系统错误|服务端错误|服务器错误|内部错误|系统异常)
  unless fix the error and try again, fix your, correct the, contact support, reload and try again, log in, sign in, check your,
    make sure, or there was another issue, check server logs for details
  eg The server had an error while processing your request. Sorry about that!
marked_retryable: server_error last · the error itself says that a retry makes sense
  code retryable=true is_retryable=true retriable=true should_retry=true transient=true
  or says (try|retry|resend|resubmit|repeat|come) (again|back|this|it|the request|) (later|soon|shortly|tomorrow|in a|in some|after a), (please|just|simply) (resend|resubmit|repeat), (not|cannot|cant|unable) … (at|right) (this|the|) (moment|now), (is|are|went|appears) offline, (hiccup|glitch|outage|garbage|collapsed|unavailable), (full|heavy|peak) load, pool (is|was|) exhausted, refused (our|the|your|my|a) connection, (got|received|had) no (answer|reply|response)
  unless (unavailable|offline) (in|on|for|to|with|under|outside) … (plan|tier|region|country|location|account|edition|customers|users|language), (discontinued|retired), check your, make sure, correct the, fix the, fix your, log in, sign in
  eg thrown {"message":"the flux is misaligned","retryable":true}
page: bad_json typed · a model API never answers with an HTML page: a network, a proxy or an edge in between did
  code body=page
  eg as anthropic {"status":200,"headers":{"content-type":"text/html"},"body":"<!DOCTYPE html><html><head><title>Welcome to the hotel</title></head></html>"}
bad_json: bad_json status · the answer is not JSON although it should be: cut off, a proxy's page, or the model's prose; a fresh one may parse
  says (failed to process successful response|响应格式错误|解析响应失败),
    (unexpected|unknown|unrecognized|invalid|bad) (line|data|chunk|event|message|frame|response|stream) format,
    (model|llm|provider|api|server|agent|assistant) did not (provide|return|produce|give|generate|send) (any|an|a) (assistant|) (messages|message|response|answer|output|content|text|completion),
    unexpected end of (data|json|the json|stream data), (is|was|are) not (valid|parseable|well formed|) json,
    (expected|wanted) json (but|and) (got|received), not parseable as json, unterminated string, unexpected (token|content type),
    json (parse|decode|parsing) (error|exception), expecting value, (invalid|malformed|bad) (json|response|tool call|function call),
    failed to parse (json|response|the response|model), could not (be parsed|parse), invalid character … looking for beginning of value,
    no object generated, (produced|returned|generated) (invalid|malformed|unparseable) (content|output|json|response), unavailable tool,
    edit format, retries … (for|of) (output|result|response) validation,
    (empty|malformed) (or malformed|) (response|answer|completion|output), (response|answer|completion|output) (from|of) … was empty,
    (response|answer|completion|output) (was|is) empty, failed to parse (tool|function) call, parse error at line, incorrect header check,
    operator to search for … in (doctype|html); unless object object, error parsing line in, response status,
    failed to generate json content
  eg Unexpected token '<', "<!DOCTYPE "... is not valid JSON
`,
)
