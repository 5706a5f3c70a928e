import { page } from '../page.ts'

/**
 * The request itself: too long, too large, refused for its content, malformed. The same again fails the same way.
 */
export default page(
  'request',
  `
context_overflow: context_overflow specific · the input does not fit the model; only a shorter input or a larger window helps, although many texts say "try again"
  says tokens (you|) requested (exceed|exceeds|exceeded), # tokens … (context|window) (size|length|window|limit) (is|of|was|:) (only|) #,
    (message|messages|prompt|input|text) (you submitted|you sent|submitted|sent|) (was|is|were|are) too long,
    (conversation|chat|thread|session|context) (has|) (reached|hit|exceeded) (its|the|your) (maximum|max) (length|size),
    (submit|send|try|use) (something|a) (shorter|smaller), too long … (shorten|shorter|trim),
    context (size|length|window|limit|budget) (has been|was|is|) (exceeded|overflowed|exhausted|full|reached),
    (number of|) tokens in (your|the) (request|prompt|input|message|messages) … (over|above|beyond|exceeds|exceed|greater) … (limit|maximum|max),
    (prompt|input|request|message|messages|conversation) (is|has|of|contains|was|with) # tokens … (maximum|max|limit|only|allowed|at most) … #,
    longer than the … (maximum|max) sequence length, (tokens|token count|input tokens) (exceeds|exceed|exceeded) … (limit|maximum|max) of #,
    (too many tokens|too long|too large) for (the|this|your) (model|context),
    (conversation|chat|thread|session) (has become|has grown|got|is) too (long|large),
    (start|open) a new (chat|conversation|session|thread) … (length|limit|too long|full), maximum (conversation|chat|thread) length,
    (prompt|input|text) (length|size) … (exceeds|exceed|exceeded|longer|over),
    (prompt|input|context|conversation|chat|history|transcript) (is|was|are|) too (long|large|big), input (token|) length too long,
    (maximum|max|model) context (length|window|size), maximum (prompt|input) (length|tokens|size),
    (at most|no more than|fewer than|less than) # tokens,
    context (length|window|size|limit) (exceeded|exceeds|exceed|overflow|error|reached|is full|is too small), context overflow,
    context (the|) overflows,
    (exceed|exceeds|exceeded|exceeding|over|beyond|longer than|larger than|greater than|less than) (the|your|model|this|its|maximum|available|configured|models|) … context (length|window|limit|size),
    (exceed|exceeds|exceeded|exceeding|over|beyond|longer than|larger than) (the|your|model|this|its|maximum|available|configured|models) … context,
    (exceed|exceeds|exceeded) (the|) (maximum|max|) … (number of tokens|tokens allowed|token limit|input tokens|prompt tokens|model token limit),
    (input|prompt|request) (token|tokens) (count|) … (exceed|exceeds|exceeded), too many (input|prompt) tokens,
    tokens (limit exceeded|must be reduced), (is|are|) longer than the (model|maximum),
    reduce (the|your) (length|prompt|message|messages|input|context|number of), (decrease|shorten|shorter) (the|your|) (input|prompt),
    ran out of room, not enough (room|space) in the context, (range of input|expected max) length, too large to process …… batch size,
    n keep, expected maxlength, (tokens|characters) too long, # tokens … (model|endpoint) (accepts|allows|supports|takes) #,
    # tokens … (maximum|limit|max) (is|of|are) #, longer than the … # tokens, has hit a token limit, compacted,
    (exceeds|exceed) … maximum (context|input), current length is # while limit is #, too long for requested model,
    (prompt|input|message|messages|conversation|text) … (exceeds|exceed|exceeded|larger than|longer than|more than) … tokens,
    max tokens … exceed, requested tokens exceed, message size and try again, max tokens of # exceeded, コンテキスト … 超え, token数超,
    (最大上下文|上下文超出|超过最大长度|超出上下文|超出最大长度|上下文长度|输入过长|输入长度)
  unless per (minute|min), (exceed|exceeds|exceeded|exceeding) (your|the|its|our|an|a) … rate limit,
    (hourly|daily|weekly|monthly) … (limit|limits|quota|allowance)
  eg {"status":400,"headers":{},"body":{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9001 tokens."}}}
too_large_for_model: context_overflow specific · more tokens than the model accepts; a per-minute limit would be a throttle, unless this request alone exceeds it
  says request too large for (model|gpt|the model|this model|claude|#); unless (per|a) (minute|min|hour|day), tpm
  eg 413 Request too large for model llama-guard, please reduce the size of your messages
output_limit: output_limit specific · the answer exceeds the maximum length; the same task hits the limit again
  says (response|answer|output|completion) (exceeded|exceeds) the (models|model) … (limit|maximum|length),
    (exceeded|exceeds) the maximum output (length|tokens|size)
  eg The response exceeded the model's output length limit.
beyond_window: context_overflow specific · this one request exceeds the whole rate limit window: waiting does not help
  code asked=beyond_limit
  eg Rate limit reached for model m on tokens per minute (TPM): Limit 7000, Used 0, Requested 7895.
token_limit: context_overflow specific · a token limit named in the refusal of this very request; with a 429 it would be a window's limit
  says (token|tokens) limit (exceeded|reached), exceeds … (token|tokens), too many tokens; status 400 413 422
  eg {"status":400,"headers":{},"body":{"error":{"message":"token limit exceeded"}}}
too_large: request_too_large specific · the request exceeds a size limit in bytes
  says (exceeded|exceeds|over) (the|) (file|upload|attachment|message|image|) size limit,
    (reduce|reducing|lower|limit|limiting) (the|) (amount|number|size) of (data|rows|records|items|results|bytes|columns|fields),
    (size|length) limit exceeded, (collection|item|document|row|object|record|batch|result) (size|count) exceeded,
    (bigger|larger|longer|greater|heavier) than (the|our|your|) # (kb|mb|gb|kib|mib|bytes|characters|pixels|pages) (maximum|limit|max|allowed|allowance),
    (exceeds|exceed|over|above) (the|our|your|) # (kb|mb|gb|kib|mib|bytes|characters|pixels|pages) (maximum|limit|max|allowed),
    (payload|body|entity|request entity|file|image|pdf|content|upload|attachment|message|object|document|item|record|row|email|query) (is|size is|size|) too large,
    request (is|) too large,
    (exceeds|exceed|exceeded) the maximum (size|allowed size|payload|file size|request size|upload size),
    (payload|request|file|body) size exceeds, larger than (max|configured max|the maximum),
    (exceeds|exceed|exceeded|over|above|bigger than|larger than|more than|greater than) # (kb|mb|gb|kib|mib|gib|bytes|pixels|pages), # bytes # … bytes, string (too long|above max length),
    (exceeds|exceed|exceeded|over|above) … (per|single) (request|query|call|batch) (limit|maximum|max),
    (maximum|max) (number of|) (tokens|size|items|rows|records|inputs|messages|points|credits|units|images|documents|ids|keys|) (allowed|) (per|in a|in one|for a|for one) (request|query|call|batch|single request),
    (batch|array|list|page|chunk) size … (exceeds|exceed|exceeded|greater than|larger than) … (maximum|max|limit),
    exceeds (the|) (maximum|max) (allowed|) (complexity|depth|size|batch size|number of items|number of rows|points)
  unless (per|a) (minute|min|hour|day)
  or says e2big, argument list too long
  eg the image is bigger than the 5 MB maximum
content_policy: content_policy specific · a filter refused the prompt or the answer; the same text is refused again
  says content (filter|filtering|filters|policy|policies|management policy|moderation|safety|filtered),
    (blocked|rejected|refused|filtered|flagged|stopped) (by|due to|because of|as a result of|for) … (content|safety|policy|policies|filter|filters|moderation|guardrail|security configurations),
    (safety|moderation|guardrail) (system|filter|filters|policy|settings|reasons|block|blocked|check|violation),
    (was|been|has been|safeguards) flagged, flagged (by|for|as|this|your),
    (usage|acceptable use|safety|content|use) policy … (violation|violated),
    (violating|violates|violate|violation of|violated) (our|the|openai|openais|anthropic|googles|usage|content|terms) … (policy|policies|guidelines|guardrails|terms),
    (considered high|cybersecurity) risk, (inappropriate|unsafe|harmful|prohibited|sensitive|objectionable) content,
    policy violation, responsible ai policy, (image|video|text|audio|generation|picture) (was|is|) moderated, (safety|moderation|policy) (grounds|rules),
    (contain|contains|containing|detected) … (sensitive|inappropriate|copyrighted|explicit|prohibited|nsfw|adult|violent|hateful) (content|information|material|imagery|words),
    (copyrighted|nsfw|explicit|sexual|violent|hateful) (content|material|imagery) (was|is|) (detected|found), (requires|request|prompt|content|input|output) (moderation|moderated), recitation, not allowed to process or return,
    (prompt|response) blocked, (敏感|违规|不当内容|内容安全|不合规)
  unless temporarily blocked, sensitive parameter, security policy
  eg Output blocked by content filtering policy
wrapper_type: invalid_request status · the type vendors use for every refusal; other fields say what was refused
  code invalid_request_error badrequest BadRequestError client_error request_error
  eg {"message":"it failed","code":"badrequest"}
invalid: invalid_request general · the request is malformed or not allowed as sent
  says (wrong|incorrect) (api|request|query|input|) (parameter|parameters|values|argument|arguments),
    (text|string|number|value) given (for|where) (a|an|the) (integer|number|string|boolean|date),
    (invalid|wrong) file (type|format|extension), (is|are) not a valid, isnt a valid,
    invalid (data found|base64|utf|encoding|mime|image|audio|media|request|parameter|parameters|argument|arguments|value|input|prompt|schema|params|body|field|url|format|json schema|date|time|range|number|email|address|option|choice),
    invalid … (document|specification|template|manifest|definition),
    (requested|specified|selected|given|chosen) (format|size|option|quality|resolution|type|voice|language|currency|date|value|combination) … not (available|supported|allowed|offered),
    not available in (the|this|your|) (current|selected|requested|specified|given|) (region|zone|location|availability zone),
    keys for idempotent requests, idempotency … (different|another) (request|parameters|payload|body|arguments),
    idempotency … same (parameters|payload|body|request), idempotency key … (reused|already used|used with|mismatch),
    at least (one|#) … (is|are) (required|needed|expected), (must be|should be|has to be|must not exceed) #,
    (unrecognized|unknown|unexpected|unsupported) (request|query|body|) (argument|arguments|parameter|parameters|attribute|field|fields),
    (image|file|audio|video|document|data|pdf|attachment|picture) (could not|cannot|can not) be (decoded|parsed|read|processed|opened|downloaded),
    (could not|cannot|unable to|failed to) (decode|process|open) (the|your|this|) (image|audio|video|document|pdf|attachment|picture),
    (should|must|does not|did not|doesnt|to) match (the|) (pattern|schema|format|regex|expected|type),
    (schema|json schema|grammar|format|pattern|syntax|payload|structure) (is|was|) (invalid|not valid|not supported|unsupported|wrong),
    (string|value|number|array|object|integer|boolean|list) should (be|match|have|contain), (input|value) should be,
    not allowed (here|in|for|with|as), unsupported operand, is not subscriptable,
    (wrong|incorrect|illegal) (type|value|format|number of arguments|argument|parameter|syntax),
    (vector|embedding|dimension|dimensions) … (expected|expecting|wrong|different|mismatch|does not match|do not match|invalid),
    expecting embedding with dimension, different vector dimensions,
    (method|feature|function|operation|endpoint|option|command|action|capability) … (is|) not (implemented|supported|available) (yet|here|),
    not (yet|) implemented,
    (query|request) (cost|complexity|depth|size) … (exceeds|exceed|exceeded|over|above|greater) … (limit|maximum|max|allowed),
    complexity of # … exceeds, exceeds (the|) (single query|maximum|max) … (cost|complexity|depth),
    (value|parameter|argument|temperature|number|index|size|length) … (is|are|) (out of range|out of bounds|too small|too short|not unique|not allowed|not permitted|not accepted),
    (must|should) be (unique|non empty|nonempty|present|provided|specified|set|valid|an integer|a boolean|an object|a list|a valid|equal|between|in the range|one|one of|a string|a number|an array|at least|at most|less than|greater than|positive|of type),
    (cannot|can not|may not|must not|should not) be (empty|null|blank|none|negative|undefined|used together|combined|used with),
    (non empty|nonempty) (content|string|value), (is|was|were|are) (malformed|ill formed|unparseable|not well formed),
    (not|isnt) a valid (json|url|uuid|email|date|number|integer|value|request|parameter|enum|option|choice|id|format),
    (unexpected|unknown|unrecognized|invalid) (field|key|keys|property|parameter|option|value|role|type|argument|name), only supports,
    (not|isnt) supported (yet|here|by|on|for|with), no (prompt|messages|input|content|body) (was|were|) (provided|given|specified|supplied),
    bad request, malformed (request|input), validation (failed|error|exception|errors), field required, (does not|doesnt) support,
    unprocessable (entity|content), syntax error (at|near), violates (not null|check|foreign key|unique) constraint,
    tool use ids were found without, concurrency issues, failed to validate, does not appear to (contain|be), option is (now|) required,
    expected … (received|param|parameter), unsupported (file|media|image|audio|content|mime) (type|format|extension),
    deserialize the json body,
    (field|fields|value|values|data|input|request|parameter|parameters|argument|arguments) … (is|are) (invalid|not valid|malformed|required|missing),
    must (have|contain|include|not be),
    (ungültige|requête|solicitud|неверный) (anfrage|eingabe|parameter|invalide|inválida|no válida|запрос), некорректн,
    (参数不合法|请求参数|无效参数|無効なパラメータ|不正なリクエスト|参数错误|参数无效|参数格式|参数缺失|缺少参数|格式不正确)
  eg keys for idempotent requests can only be used with the same parameters
mistaken: invalid_request last · words for what somebody got wrong, if nothing else is said; sysexits 65 means the same
  code exit=65
  or says (invalid|illegal|malformed|unsupported|unrecognized|undeclared|undefined symbol|undefined reference|undefined variable|undefined local variable|undefined method|undefined name|has no|parse error|syntax error|never closed|ambiguous|duplicate|mismatched|incompatible|disallowed|unresolved|declined|missing|must|requires|refusing|wrong|absent|corrupt|corrupted|damaged|truncated|negative|retired|banned|mismatch|mismatches|cannot|already|wrongly|incorrect|incorrectly|improper|inconsistent|conflicting|forbidden|prohibited|disabled|recognised|unrecognised|inactive|obsolete|deprecated|nonexistent|noninteractive|malformatted|violates|violated|violation),
    unknown (entity|topic|database|user|project|id|identifier|name|host group|key|field|file|resource|command|subcommand|provider|action|operation|type|method|format|variable|identifier|module|target|task|step|agent|column|table|function|variant|region|language|message|channel|keyword|attribute|element|instruction|directive|symbol|character|operator|encoding|protocol|driver|engine|backend|service|group|role|job|event),
    (is|are|was|has) (gone|unknown|wrong|not one of),
    (field|value|name|body|parameter|argument|input|prompt|message|messages|string|array|file|query|path|key|id|title|content|cart|dataset|table) (is|are|was) empty, out of (range|bounds|stock), may not, (could not|unable to|failed to) (open|cast|convert|parse|decode|compile|read|validate|import|decrypt|unpack|extract|interpret|render|mount|link), in the (future|past), did you mean, (dont|doesnt|do not|does not|did not) (own|contain|include|define|declare|match|accept|allow|have|apply), (content|our|the) rules,
    (has|have|needs|need) to be, (not|wasnt|isnt|never) (expected|valid|recoverable), (is|are|was|) not (a|an), (does not|doesnt|do not) look like,
    too (big|large|long|small|short|old|new|deep), (needs|need|requires|wants|wanted|expected) # (got|found|have|has|but), expected #, exactly (one|#) (of|is|are),
    (is|are|been|initialization|initialisation|setup|registration|approval) (required|archived|not in|protected|deprecated|no longer available), (is|are|was|were|has|have) not (been|) (set|defined|specified|provided|supplied|read|loaded|registered|initialized), not (supported|recognized|accepted|applicable|allowed|permitted),
    not (in|a) … (format|file|archive), no valid … (data|input|file) found, expected … (got|found|but),
    (deve|debe|doit|muss|moet|musi|måste|skal|должен|должна|должно|phải|harus|повинен|повинна) … (maggiore|minore|mayor|menor|maior|supérieur|supérieure|inférieur|größer|kleiner|groter|większa|większe|większy|större|større|больше|меньше|lớn hơn|lebih besar|більше),
    (campo|feld|champ|pole|поле|trường|alan|veld|fält) … (obrigatório|obligatorio|erforderlich|obligatoire|wymagane|обязательно|обязательное|bắt buộc|zorunlu|zorunludur|obbligatorio|requis|verplicht|obligatoriskt),
    (dependent|depends on|in use by|referenced by) … (objects|resources|records), (still|already) in use, (cast|conversion) … failed
  unless (cannot|can not|could not) (be|) (reach|reached|contact|contacted|connect|respond), already (retried|tried), went wrong, unknown (error|reason|cause|failure|exception|issue|problem|status|code|host), (warn|warning),
    (response|reply|answer|frame|packet|stream|chunk) (from|received|was|is)
  eg Invalid maximum heap size: -Xmx1x
refused_place: invalid_request typed · the place in the request of a value that is refused
  says (messages|contents|input) # (content|parts|role|text|type), tools # (custom|function|name|input schema|parameters)
  eg messages.2.content.0.tool_result.content.0: unauthorized url
extra_fields: invalid_request typed · a field that the server does not accept
  says extra (forbidden|inputs are not permitted)
  eg metadata: extra forbidden
`,
)
