import { page } from '../page.ts'

/** Limits that the caller set on purpose. */
export default page(
  'rail',
  `
turns: max_turns specific · the caller's turn limit stopped the run
  code stop_reason=max_turn_requests
  or says (maximum number of|max) turns, max (session|) turns (reached|exceeded|limit), turn limit (reached|exceeded),
    exceeding the configured maximum of, maximum number of actions; unless system prompt, allowed tools
  eg Reached maximum number of turns (40)
steps: max_steps specific · the caller's limit of steps or iterations stopped the run
  says (recursion|depth|recursion depth|nesting) limit of #,
    (maximum|max) (number of|) … (roundtrips|round trips|hops|handoffs|delegations|retries of the tool|sub agents|subagents),
    (maximum|max) (depth|nesting) … (reached|exceeded|hit),
    (more than|over|exceeded|reached|hit|used all|used|limit of) # (tool calls|tool call|steps|iterations|rounds|loops|function calls|model requests|llm calls),
    (maximum|max) (tool call|tool|agent|reasoning|model|function call|llm) (rounds|calls|iterations|steps|turns|requests),
    too many (tool calls|tool call|tool call rounds|steps|iterations|function calls),
    (allowed|permitted|maximum) number of (iterations|steps|rounds|tool calls|loops|requests),
    (step|steps|iteration|iterations|tool|tool call|request|loop) budget (is|was|has been|) (exhausted|exceeded|reached|used up|spent),
    # of # (model requests|tool calls|steps|iterations) used,
    (maximum|max) (number of|) … (rounds|iterations|steps|tool calls) (was|were|has been|) (exceeded|reached|hit),
    maximum of # (steps|iterations|rounds|tool calls|turns|loops),
    (maximum|max) (number of|) (iterations|steps|iteration|loops|rounds|tool calls|reflections),
    (iteration|step|recursion|tool call|loop|depth) (limit|budget) (of #|or|has been|) (reached|exceeded|hit|time|crossed),
    (maximum|max) … (iterations|tool executions|tool calls|llm calls|steps), # (sequential|consecutive) (tool|function) (executions|calls),
    (llm calls|recursion|due to iteration|mistake|auto approval) limit, max depth error, only # reflections allowed,
    (step|steps|iteration|iterations|tool call|loop) (ceiling|cap|maximum),
    (reached|hit) (the|its|your|) … (step|iteration|tool call|loop|round) (limit|ceiling|cap), loop detected, tool call budget,
    (stopped|stopping|ended) after # (steps|iterations|tool calls|rounds|actions|loops),
    would exceed the (request|requests|tool calls|steps|total tokens) limit
  unless per minute, per second, per hour
  eg Agent stopped due to iteration limit or time limit.
budget: max_budget specific · the caller's cost limit stopped the run
  says (max|spend #) budget #, budget (is|was|has been|limit|limit of #|of #|) (exceeded|exhausted|reached|crossed|used up),
    exceeded … budget, (crossed|over|past|above|beyond) (its|the|your|) (max|) budget,
    (max|maximum|total|cost|token|dollar|key|team|user) budget (of #|of|for|) … (exceeded|reached|exhausted|hit|used up|crossed),
    budget (you|that you) set, budget for (this|the|your|model|deployment|provider|key|team|tag) … (exceeded|exhausted|reached|used up),
    (cost|spend|spending|dollar) (limit|budget|cap|ceiling) … (for this|of this|for the) (run|session|task|agent|job) … (exceeded|reached|hit),
    (spending|cost|spend) limit for this (run|session|task|agent|job|key), (exceeded|reached|hit) (the|total|your|a|) … (max|maximum) cost,
    (cost|wall clock) budget, no money exception, (reached|exceeded) (the|) (maximum|max|usd) budget, max budget usd,
    cost limit (exceeded|reached), (total|exit due to) cost limit, (cost|dollar|money) (ceiling|cap) … (reached|exceeded|hit),
    (reached|exceeded|hit) (the|its|your|) (cost|dollar) (ceiling|cap|limit), exceeds limit …… cost limit, exit cost,
    budget … for this (run|session|task) … (used up|spent|exhausted|reached|exceeded),
    (run|session|task) budget … (used up|spent|exhausted|reached), (session|run|task) … (cost|acu|budget|spend) limit
  unless (per|a) (month|day|week) budget, model requests used, request budget, retry budget, error budget, latency, thinking
    budget, (organization|workspace|account) budget, rollout token budget, complexity budget, monthly budget, spend limit
  eg Reached maximum budget ($2.50)
own_cap: max_budget specific none · a cap that the customer set on a key, a project or an account is reached: continuing would spend what the cap forbids
  says (key|keys) limit (has been|was|is|) (exceeded|reached|hit),
    (api key|api keys|keys|this key|your key|the key) … (spend|spending|credit|cost|monthly|daily|weekly|total) (limit|cap) … (reached|exceeded|hit),
    (spend|spending|credit|cost) (limit|cap) (of|for|on) (this|the|your|) (api key|key|virtual key) … (reached|exceeded|hit),
    (set|configured|user defined|self imposed|self set|custom|chosen) (inference|spend|spending|cost|budget|credit|monthly|daily|weekly|consumption|monthly spend|monthly spending|daily spend) (limit|cap|budget|quota|ceiling),
    (configured|user defined|self imposed|self set|custom) usage (limit|cap|ceiling),
    (spend|spending|cost|usage|consumption|billing|credit|monthly|daily|weekly|inference) (limit|cap|budget|ceiling|quota) (that|which|) (you|your team|your admin|your administrator|the admin|the owner|the user) (have|has|) (set|configured|defined|specified|chose),
    (spend|spending|cost|budget|consumption|inference) (limit|cap|ceiling) (was|is|) (set|configured|defined) (by|for|on|in) (you|your|the|this|an),
    (limit|cap|budget) (you|that you) (set|configured) (for|on|in), (limit|paused) …… safe (experience|) mode,
    (project|team|user|virtual key|key|member|customer|tag|end user|service account|deployment|department|application|app) budget (is|was|has been|limit|) (exceeded|reached|exhausted|used up|hit|spent),
    (project|team|user|virtual key|key|member|customer|tag) … (over|exceeded|exceeds|reached|crossed|used up) (its|their|the|assigned|allotted|configured|max|maximum) (budget|max budget), (推理限额|消费上限|消费限额|预算上限), (预算|限额) (已达到|已超出|已用完|超限)
  unless retry budget, error budget, thinking budget, latency
  eg Key limit exceeded (total limit). Manage it in your settings
output: max_tokens specific · the output token limit cut the answer
  says (max tokens|output limit|completion limit|output token limit) … (was|were|is|) (reached|exceeded|hit),
    (answer|response|completion|output|message) (was|is|has been|got) (cut off|cut short|truncated|incomplete) … (limit|tokens|length|maximum),
    length limit was reached, exceeded the … output token maximum, (max output|due to max) tokens,
    (hit|reached|exceeded) (the|its|your|) (output|completion|answer) (cap|ceiling|limit), max tokens (limit|reached|exceeded),
    (maximum|max) (output|completion) (tokens|length) (reached|exceeded), output token limit, finish reason length,
    rollout token budget exhausted, response … truncated … max
  eg Could not parse response content as the length limit was reached
size: max_size specific · the caller's byte limit cut the answer
  says (maxbuffer length|max payload size|max buffer length) exceeded, (max content length|exceeded max) size
  eg stdout maxBuffer length exceeded
`,
)
