/**
 * How vendors and gateways word a cap that their customer set on a key, a project, a team or an account. Failing over to
 * another provider would work, but it would defeat the purpose of the cap.
 */
export const SET_BY_CALLER: readonly string[] = [
  '(key|keys) limit (has been|was|is|) (exceeded|reached|hit)',
  '(api key|api keys|keys|this key|your key|the key) … (spend|spending|credit|cost|monthly|daily|weekly|total) (limit|cap) … (reached|exceeded|hit)',
  '(spend|spending|credit|cost) (limit|cap) (of|for|on) (this|the|your|) (api key|key|virtual key) … (reached|exceeded|hit)',
  '(set|configured|user defined|self imposed|self set|custom|chosen) (inference|spend|spending|cost|budget|credit|monthly|daily|weekly|consumption|monthly spend|monthly spending|daily spend) (limit|cap|budget|quota|ceiling)',
  '(configured|user defined|self imposed|self set|custom) usage (limit|cap|ceiling)',
  '(spend|spending|cost|usage|consumption|billing|credit|monthly|daily|weekly|inference) (limit|cap|budget|ceiling|quota) (that|which|) (you|your team|your admin|your administrator|the admin|the owner|the user) (have|has|) (set|configured|defined|specified|chose)',
  '(spend|spending|cost|budget|consumption|inference) (limit|cap|ceiling) (was|is|) (set|configured|defined) (by|for|on|in) (you|your|the|this|an)',
  '(limit|cap|budget) (you|that you) (set|configured) (for|on|in)',
  '(limit|paused) …… safe (experience|) mode',
  '(project|team|user|virtual key|key|member|customer|tag|end user|service account|deployment|department|application|app) budget (is|was|has been|limit|) (exceeded|reached|exhausted|used up|hit|spent)',
  '(project|team|user|virtual key|key|member|customer|tag) … (over|exceeded|exceeds|reached|crossed|used up) (its|their|the|assigned|allotted|configured|max|maximum) (budget|max budget)',
  'guardrail (budget|spend|spending|cost) (limit|cap|) (exceeded|reached|hit|)',
  '(推理限额|消费上限|消费限额|预算上限)',
  '(预算|限额) (已达到|已超出|已用完|超限)',
]
