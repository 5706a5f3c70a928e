import { page } from '../page.ts'

/** Limits of plans, quotas and rates. Another provider works; this one works when a window rolls. */
export default page(
  'limit',
  `
all_used: usage_limit specific · everything the plan includes is used up; it works again when the plan renews
  says (used|consumed|exhausted) (up|) 100 of (your|the|its|this) … (minutes|hours|usage|allowance|quota|limit|plan|credits|messages)
  unless 100 of (your|the|its|this) #
  eg You have used 100% of your included minutes
none_left: quota general · the allotment is used up; the text does not say whether it renews or must be bought
  says (allowance|quota|allotment|limit|cap|ceiling) (for|of|on) (this|the|your|today|each|every) … (is|was|has been|are) ({spent}),
    (hourly|daily|weekly|monthly|yearly|usage|api|request|sending|call) … (allowance|quota|allotment|limit|cap|ceiling) (is|was|has been|) ({spent}),
    (used|consumed|exhausted|spent) (up|) all (of|) (your|the|its|my) … (for|today|this),
    0 (of #|out of #|) (free|included|monthly|daily|) (credits|messages|prompts|minutes|generations|searches) (left|remaining)
  eg 0 of 500 credits left
plan_window: usage_limit specific · the window of a plan (five hours, a week, a month) is used up; retrying before it rolls is pointless
  says (reached|hit|exceeded|used up|over) (its|your|the|their) (daily|weekly|monthly|hourly|free|message|request|usage) … (cap|limit|allowance|quota|maximum),
    (daily|weekly|monthly) (message|request|usage|prompt|token) cap,
    (exhausted|used up|reached|hit|exceeded) (your|the|all|) … (requests|messages|usage|tokens|calls) for (the|this|today) (day|month|week|hour|),
    (regain access|access resumes|access returns|access will resume),
    (spend|spending|billing|usage|cost) (limit|limits|cap) … (regain access|resumes on|renews on|resets on|resets #),
    (used|exhausted|consumed|spent) (up|) (all|all of|most of|) (your|of your|todays|the) … (free|daily|weekly|monthly|included|allotted) (usage|allowance|requests|messages|credits|limit|prompts),
    (used|exhausted) all of (todays|this weeks|this months|your) … (usage|requests|messages|quota),
    (hit|reached|exceeded) (the|your|its|) # (hour|day|h|week|message) … limit,
    no more (free|) (requests|messages|prompts|usage|generations|credits) (today|this|left|for|until|available),
    (requests|messages|prompts) (left|remaining) (today|for today),
    (number of|) (requests|messages|calls|prompts) (allowed|permitted|included) per (day|month|week|hour) … (exceeded|reached|used),
    (reached|exceeded|hit) (your|the|a|) limit of # … (messages|requests|prompts|calls|queries),
    limit of # (messages|requests|prompts|calls|queries|images|tokens) … (reached|exceeded|hit),
    too many … (within|in) the last # (hours|hour|days|day|minutes),
    (daily|weekly|monthly|hourly) (sending|usage|request|message|token|api|call|email|search|generation|count|) … (limit|quota|count|allowance|cap) … (exceeded|reached|exhausted|used up|hit),
    usage (limit|cap|quota|allowance) … (hit|reached|exceeded|exhausted), limit … (przekroczony|wyczerpany),
    (hit|reached|exceeded|exhausted|used) (up|) your (usage|session|weekly|monthly|daily|hourly|plan|message|messaging|sending|premium|token|included|current|free) … (limit|limits|allowance|cap),
    (hit|reached|exceeded) (your|the) limit, (reached|hit) your … limit,
    (your|the) (limit|limits) (will reset|resets|reset at|will be reset), (plan|tier|subscription) (limit|quota) (reached|exceeded|hit),
    usage limits, (exceeds|exceed|exceeding) (your|the) … usage limit,
    limit (has been|was|is|) (reached|hit) …… (try again at|try again on|resets|reset at), (has|) excedido … (cuota|límite),
    (cuota|límite|limite|kontingent|limit|nutzungslimit|лимит) … (excedido|agotado|superado|alcanzado|excedida|agotada|superada|dépassée|atteinte|atingido|aufgebraucht|erschöpft|überschritten|erreicht|исчерпан|превышен|достигнут),
    (превышен|исчерпан) … лимит, (한도를 초과|한도에 도달|사용량 한도|利用上限|使用量の上限|額度已|用量已达|已达上限|次数已用|使用次数|使用上限|使用限额)
  unless unauthenticated use, unreg, context, (per|a) minute, not your usage limit
  eg You have reached your weekly limit for this model.
quota_advice: quota status · advice given along with a limit; gemini gives it with every 429, no matter the cause
  says (request|apply for) (a|an) (adjustment|increase|quota increase|limit increase)
  eg You may apply for an increase in the console.
quota_used: quota specific · an allowance per day, month or project is used up
  says (number|count|total) of (api|) (calls|requests|messages|queries|operations) (has been|was|is|) (exceeded|reached),
    (exceeding|out of) … quota, requested more … than (your|the) (current|) … limit,
    (per|a) (month|day|week|hour) (budget|allotment|allowance) (is|was|has been|) (exceeded|reached|used up|exhausted),
    quota (has been|was|is|) (exceeded|exhausted|reached|depleted|used up),
    (exceeded|exhausted|exceeds|reached) (your|the|its|this|current|all|allocated|) (daily|monthly|current|free|allocated|project|premium|) … quota,
    (out of|no|over|no remaining) quota, over (its|your|the) … quota,
    (hourly|daily|weekly|monthly|free|included) … (allocation|allotment|allowance) (is|was|has been|) (consumed|used up|used|spent|gone|depleted),
    no remaining (tasks|requests|messages|searches|minutes|executions|generations|calls|operations|queries|runs),
    (limit|quota) for (your|the|this) (subscription|plan|tier|current plan) … (reached|exceeded|hit),
    out of (searches|requests|messages|tokens|calls|generations|queries|lookups|minutes|prompts|executions|operations|tasks|runs) (for|this|until|today),
    (daily|monthly|hourly|weekly|annual) (query|queries|request|requests|call|calls|usage|search|) (is|) over (the|) limit,
    (no|zero|#) (searches|requests|messages|calls|generations|queries|lookups|prompts|executions|operations) (left|remaining) (for|this|until|today|in), will have enough (credits|points|tokens|units),
    (run|ran) out of (your|) (searches|requests|messages|tokens|calls|usage|generations), quota … exceeded,
    (daily|monthly) (limit|quota|cap), (tokens|requests) per day, per day … (limit|quota),
    exhausted your (daily|monthly|) (quota|capacity), quota will reset,
    free (tier|quota|plan|allocation|allowance) (has been|is|was|) (exhausted|exceeded|used up|reached), daily free allocation,
    (anzahl|grenzwert|limit|obergrenze|superó|supera|superado|excedió|excede|rebasó) … (überschritten|límite|cuota),
    überschritten … (limit|grenzwert|kontingent), (配额|额度已用)
  unless unauthenticated use, unreg
  eg Server Error: You have no quota
said_used: quota last · a limit and that it is used up, if nothing says what it limits
  says ({allotment}) … ({spent}|surpassed|crossed|over), ({spent}|over|surpassed|exceeds|beyond) … ({allotment}), (limited|restricted) to # … (a|per|every|each) ({period}), only … (once|twice|#) … (every|per|a|each) (#|) ({time}|{period}),
    ({spent}|over) … (per|a|every|each) ({period}), too many, wait (for|until) … (finish|finishes|complete|completes|free)
  unless (size|length|file|files|character|characters|bytes|depth|recursion|nesting|page|pages|field|fields|items|item|rows|columns|memory|disk|storage|upload|stack|line|lines|arguments|argument|parameters|retry|retries|attempts|redirects|open files|levels|values|elements|options|names|tags|symbols|links)
  eg client exceeded its share of traffic
fair_use: rate_limit specific · the vendor slows an account down for its usage pattern; it reopens later or on request
  says request frequency has been limited, fair (usage|use) policy, unusual (usage|traffic) pattern
  eg Your account's current usage pattern does not comply with the Fair Usage Policy, and your request frequency has been limited.
too_many: rate_limit typed · too many requests in a short window: the ordinary rate limit
  says too many (bad|failed|invalid|wrong|unsuccessful|new|open|recent) (requests|attempts|logins|connections|sessions),
    no deployments available, too many … (try again|retry|wait) (later|in|after|a|for|some),
    (exceeded|exceeding) (your|the) current (requests|request|rate), abuse detection,
    (burst|qps|rps|tps|rpm|tpm|concurrency|parallelism|throughput|bandwidth|spike) (limit|quota|cap|ceiling|threshold) (has been|was|is|) (exceeded|reached|hit|crossed),
    (hit|reached|exceeded|at) (its|your|the|their) (concurrency|burst|throughput|parallel|qps) (cap|limit|ceiling|quota),
    (exceeded|reached) (its|your|the) (allowed|maximum|permitted) number of (parallel|concurrent|simultaneous) (generations|requests|jobs|calls|sessions|tasks|runs|connections|),
    (faster|more often|more requests|more quickly) than (your|the) (plan|tier|account|subscription) (allows|permits),
    (excessive|too frequent) (requests|calls|traffic), out of … (count|call|calls|request|requests|rate|frequency|times) limit,
    too many (visits|hits|accesses|operations|api calls|lookups|searches|commands|events|updates|submissions|requests|attempts|tries|calls|messages|queries|retries in|tokens),
    you can only (make|send|do|submit|call|perform) # … (per|every|in|within),
    (only|at most|up to|maximum of|max|limit|limit of|limit is) # (requests|calls|messages|queries) (per|every|in|within|each),
    # (requests|calls|messages|queries) (per|every|in|within|each) (#|second|minute|hour|sec|min) … (exceeded|reached|allowed|limit|maximum),
    wait (a few|a couple of|some|several) (seconds|minutes) (before|and),
    (submitted|sent|posted|created|requested|called|made) too (quickly|fast|often|frequently),
    (doing|done) (that|this) too (much|often|quickly|fast), (exceeded|exceeds|exceed|exceeding) (your|the|our|) rate (limit|limits),
    request rate (exceeds|exceeded|is over|over|too|increased too quickly|too large|too high),
    reduce (the|your) … (frequency|rate) (of|) (requests|calls|your|),
    number of concurrent (requests|connections|calls|sessions|jobs|streams),
    (maximum|max|limit) (number of|of #|) (concurrent|parallel|simultaneous) (requests|connections|calls|sessions|jobs),
    (before|between) (making|sending|trying|submitting) (another|more|new) (request|requests|message|call),
    wait (a moment|a bit|a little|a few|some time|a while) before, requests are being (limited|throttled|rejected),
    per (second|minute|sec|min) (was|has been|is|) (exceeded|reached), expected available in #, available in # seconds,
    flood (wait|control|limit), (spamming|spam) … (slow|wait), (you are being|rate) limited,
    (maximum|max|limit of) (number of|) (concurrent|parallel|simultaneous|running|active) … (reached|exceeded|hit),
    (concurrent|parallel|simultaneous) … (limit|quota|maximum) … (reached|exceeded|hit), te veel (verzoeken|aanvragen),
    (requests|calls|messages) too (quickly|fast|often|rapidly), (slow|ease) (your|down your) (roll|rate|requests),
    too many (login|failed|sign in|authentication|password|auth) attempts, request rate is (too|) large, (frequency|out of) limit,
    too (frequently|frequent|fast), (freq|frequency|qps|rpm|tpm) … (out of|over|exceeds|exceeded) … limit, times per (minute|second|hour),
    (complexity|query) budget exhausted, (way|) too much (request|mail|traffic|requests),
    (blocked|limited|restricted|paused|suspended) due to … limit,
    over … (queries|requests|calls|transactions) per (second|minute|hour|day) limit,
    (developer|account|user|key|client) over (the|) (rate|qps|rate limit),
    (requests|request|calls|call) (is|are) limited … (slow|frequency), (ip|account|address|user|key) … banned until,
    (exceeding|exceeded) … requests (limit|limitation), request limitation, (you|) can only request this after,
    too many (concurrent|parallel|simultaneous) (requests|connections|calls|jobs|builds|runs|executions|tasks|workflows|streams|downloads|uploads|deployments|pipelines|generations|operations|agents),
    (rate|request|requests|token|tokens|concurrency|frequency|throughput|api|call|calls|message|messages|query|queries) (limit|limits) (has been|have been|was|is|) (exceeded|reached|hit),
    (exceeded|exceed|hit|reached|over|exceeds) (your|the|a|an|our|this|account|organization) … rate limit, past the per minute,
    (requests|tokens|calls|messages) per (minute|min|second|sec|hour), per minute (limit|quota|rate), throttling (exception|error|exceeded),
    (rate|request|call|frequency|concurrency) limit error, throttled, ratelimited, resource (has been|) exhausted, limit requests,
    (för|for|liian|çok|příliš|túl|prea|zbyt|πάρα|занадто|terlalu|za|trop|limite|zu|слишком) (många|mange|monta|paljon|fazla|mnoho|sok|multe|wiele|πολλά|багато|banyak|dużo|de|viele|много) (förfrågningar|anrop|begäranden|anmodninger|forespørsler|kald|pyyntöä|pyyntöjä|istek|talep|požadavků|dotazů|kérés|kérelem|cereri|solicitări|żądań|zapytań|αιτήματα|запитів|permintaan|demandes|débit|anfragen|requêtes|запросов),
    (забагато|слишком|demasiadas|muitas|muitos|troppe) (запитів|часто|peticiones|requisições|pedidos|richieste|solicitudes|solicitações),
    (překročen|překročili|překročeno|ylitetty|överskriden|overskredet|превышен|превышено|перевищено) … (požadavků|dotazů|pyyntöjen|förfrågningar|forespørsler|anmodninger|запросов|запитів),
    (istek|batas) (sınırı|limiti|sayısı|permintaan) (aşıldı|terlampaui|tercapai), limite de (requisições|solicitações|chamadas|pedidos|solicitudes|peticiones|llamadas) (excedido|atingido|alcanzado|superado),
    quá nhiều yêu cầu, (طلبات|الطلبات) (كثيرة|كثيره), (عدد كبير|الكثير) … (الطلبات|طلبات), (تجاوز|تجاوزت) … (المعدل|الطلبات),
    יותר מדי (בקשות|פניות), (חרגת|חריגה) … (הקצב|הבקשות), (बहुत|अत्यधिक) (अधिक|ज़्यादा|ज्यादा|सारे|) (अनुरोध|रिक्वेस्ट),
    (दर|अनुरोध) (सीमा|लिमिट) (पार|समाप्त|पूरी), (অনেক|খুব) (বেশি|) অনুরোধ, (மிக|) (அதிகமான|அதிக) கோரிக்கைகள், بہت زیادہ درخواستیں,
    (درخواست|درخواستها|درخواستهای) … (بیش از حد|زیاد), คำขอ(มาก|บ่อย)เกินไป, เกินขีดจำกัด(การเรียก|อัตรา|คำขอ),
    (твърде|previše|príliš|превише) (много|veľa|) (заявки|zahtjeva|požiadaviek|захтева), massa sol licituds, masyadong maraming, 請求次數過多,
    (請求過於頻繁|請求過多|频繁|请求过多|请求次数|限速|触发限制|超过并发|并发限制|并发超|リクエスト数|リクエストが多|レート制限|요청이 너무|너무 많은 요청|요청 제한|속도 제한|上限に達し|请求频率|速率限制|限流|频率过高), (调用频率|并发数)
  unless tool calls
  eg Too many sign-ins, try again later
rate_limit_mentioned: rate_limit general · mentions a rate limit without saying it was exceeded; counts only if nothing stronger is said
  says rate (limit|limits|limiter|limiting), ratelimit, throttle, throttling, slow down, quota, usage limit, rate (is|was|) too high, back off,
    # (requests|calls|queries|messages) (a|each|) ({time}|day|month)
  unless quota project, quota restrictions, rate limit handling, not your usage limit
  eg upstream said: rate limit
`,
)
