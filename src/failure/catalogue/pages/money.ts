import { page } from '../page.ts'

/** Money: balances, credits, payments. Waiting does not fill an account; another provider may still work. */
export default page(
  'money',
  `
balance_empty: billing specific · the account has no money or credits left; a person must pay
  says (doesnt|does not|dont|do not) have any (credits|credit), (hit|reached|exceeded) (its|your|the|their|a) credit (limit|cap|quota),
    credit (limit|cap|quota|usage) … (hit|reached|exceeded), (no|not enough|insufficient) … (balance|credits) (left|remaining|available|to),
    (limit|quota|cap|allowance) … (based on|derived from|depends on|according to|limited by|tied to) (your|the|account|) … (credit|credits|balance),
    enough quota … balance, remaining balance #, max tokens … afford,
    (user|account|token|key|team|group|) quota (is|was|) (not enough|insufficient|too low), quota … is not enough,
    (not|without|dont|doesnt) (have|) (enough|sufficient) (quota|balance|credit|credits|funds|money),
    out of (extra|paid|prepaid|included) usage, out of (funds|money|balance), (negative|zero|empty|no) (account|wallet|) balance,
    (exhausted|used|spent|depleted|consumed) (its|your|their|the|all|our) … (credits|credit|balance|funds),
    balance (of|is|:) (0|zero|negative), (add|buy|purchase|get) (more|some|) (funds|money|balance|credits|credit) (to|and|before),
    (no|insufficient|zero) … (usage|) credits, credits (are|is|have been) (gone|finished|over|used), solde insuffisant,
    (insufficient|not enough|low|zero) (account|wallet|api|prepaid|remaining|available|sufficient|) (balance|credit|credits|funds|fund),
    no (remaining|available|more|prepaid) (balance|credit|credits|funds), (maximum|max|) credits (exceeded|used up|spent|expired),
    insufficient … (balance|credits|funds),
    (balance|credit|credits|funds|credit balance|account balance) (is|are|was|has been|have been|) (too low|insufficient|exhausted|depleted|used up|empty|not enough|negative),
    out of … (credits|credit), insufficient … (wallet|account),
    (need|needs|requires|require|costs) (at least|) # (more|) (credits|credit|coins|points) … (have|has|left|remaining|available),
    until (the|a|your|) (payment|invoice|bill) (is|has been|was) (made|received|paid|settled),
    (used|spent|consumed) (up|) all (available|your|of your|the) (available|) credits, credits … (depleted|exhausted), can only afford,
    (wallet|account|balance) is (empty|exhausted|used up),
    (trial|free trial|trial period|evaluation period) (has|is|) (ended|expired|over|run out|finished),
    (subscribe|pay) to (keep|continue) using, (credit|credits) (remaining|left) … (are|is) required,
    (requires|require|need|needs) (more|additional|usage|) credits, (credits|usage) (is|are) required, usage credits required,
    draw from your extra usage, please (recharge|top up|topup), (top up|topup|recharge) your (account|balance|wallet|credits),
    (saldo|guthaben|crédit|créditos|недостаточно) (insuficiente|agotado|esgotado|aufgebraucht|erschöpft|reicht nicht|insuffisant|épuisé|insuficientes|средств),
    nicht genügend guthaben, баланс … исчерпан, (잔액 부족|잔액이 부족|残高不足|残高が不足|クレジットが不足|用户额度|额度用尽|余额已|余额不足|账户余额|请充值|额度不足)
  unless (per|a|every|each) (second|minute|hour|day|sec|min), will have enough, card has, your card,
    (customer|sender|payer|buyer|cardholder|debtor) (has|have|had|does not|doesnt)
  eg {"status":403,"headers":{},"body":{"error":{"message":"Insufficient account balance, please recharge."}}}
payment_problem: billing specific · a bill is unpaid or a payment method failed; the account reopens when it is paid
  says (need|needs|requires|require|provide|enter) (your|a|valid|) (payment|billing|credit card) (information|details|method),
    (payment method|your payment|last payment) (was|has been|is|) (declined|rejected|expired|failed|refused),
    (update|change|fix) (your|the) (card|payment|billing), billing account … (disabled|closed|not active|inactive|suspended|is disabled),
    (enable|requires) billing, billing to be enabled, payment (is|) (required|past due|overdue|failed|declined),
    (past due|overdue) (invoice|balance|payment|bill), (account|service) (is|) (overdue|past due|in arrears), in arrears,
    (invoice|invoices|bill|subscription) … (overdue|unpaid|past due), arrearage, unpaid (invoice|invoices|bill|balance),
    outstanding balance, (update|provide|check) (your|a|or update your|valid) payment (method|details|information),
    (subscription|plan|package|membership|license|contract) (has|is|was|) (expired|lapsed|inactive|past due|cancelled|canceled|not active),
    (renew|extend|reactivate) (your|the) (subscription|plan|membership|license|package|contract), insufficient user quota,
    billing (is|has been|) (not active|inactive|not enabled|disabled|not configured), account is not active …… billing,
    suspended … (insufficient balance|billing|payment|unpaid), 欠费; unless customer, card error
  or says (add|attach|set up|configure) (a|your|or update your|valid|) (card|credit card|debit card|billing|payment) (method|details|information|to|before|on|first|);
    unless customer, card error, per (minute|min|second|sec|hour|day)
  eg your subscription payment is past due. update your payment method: https://example.com/settings/billing
offer: billing general · an offer to buy more; a limit named with it is the more specific cause
  says (requires|require|need|needs) (a|an|) … (pro|paid|plus|premium|business|enterprise) (plan|subscription|account|tier),
    (purchase|buy|add) (more|additional|#|) credits, upgrade (to|your) (a|) (paid|plan|subscription),
    (active|paid|valid) (subscription|plan) (is|) (needed|required|necessary),
    only available (on|to|for|with|in) (the|a|our|) (paid|pro|plus|premium|enterprise), purchase more
  unless must be (between|at most|less than|greater than)
  eg This feature requires a paid plan
unpaid: billing last · money and that it is missing, if nothing else is said
  says (no|not|zero|0|without|settle|pay|unpaid|add|low) … (balance|credits|credit|invoice|invoices|subscription|bill|funds|billing), (balance|credits|credit|coins|funds|subscription|wallet) … (0|zero|not|small|low|cover|insufficient|empty|lapsed|ended|inactive|needed), (non payment|nonpayment)
  unless customer, card
  eg Your balance does not cover this call
spend_cap: billing specific · a spending cap set in a console or proxy is reached; another provider still works, this one only once the cap is raised
  says (spend|spending|billing) (limit|cap|hard limit|quota) (has been|was|is|) (reached|exceeded|hit),
    (daily|weekly|monthly) (cost|dollar) (limit|cap) (has been|was|is|) (reached|exceeded|hit),
    (hit|reached|exceeded) (your|the|its|a|their|account) … (spend|spending|billing) (limit|cap),
    (monthly|daily|weekly) (spend|spending|billing) (limit|cap), maximum billing reached,
    (team|shared|workspace|project|key|monthly) budget (is|has been|) (exceeded|exhausted|reached|used up),
    exceeded (its|the|your|their) (monthly|team|project|key|lfs|bandwidth|data|transfer|) budget
  unless hit your usage limit
  eg You have reached your monthly spending limit.
check_plan_and_billing: billing specific · OpenAI's message for an account without credit; others use the same sentence for limits per minute, so alone it proves nothing
  says check your (plan and billing|billing details); vendor openai
  eg as openai {"status":429,"headers":{},"body":{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}}
insufficient_quota: billing specific · the code for an account without credit, at any status; Alibaba uses it for tokens per minute
  says insufficient quota; not dashscope
  eg {"error":{"message":"Quota used","type":"insufficient_quota","code":"insufficient_quota"}}
`,
)
