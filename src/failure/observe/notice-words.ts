import { isAboutError } from './answer-about-error.ts'

/** Words of stop notices in languages other than English; notice-words.ts uses them. */

/** Languages with spaces between words; in lower case. */
const FOREIGN_WORDS = new Set(
  `el la los las un una de del su tu sus se ha han he en y o por para con sin que es está no más tarde nuevo después antes
   has excedido superado alcanzado agotado agotada agotados cuota cuotas límite límites gratuita gratuito gratis revisa
   cuenta saldo insuficiente insuficientes crédito créditos demasiadas demasiados solicitudes peticiones inténtalo
   inténtelo intente intentar recargue recarga favor uso diario diaria mensual servicio servidor disponible ocupado clave
   le les des du votre vos est sont a été pas ou et pour avec sans plus tard nouveau veuillez réessayer réessayez quota
   dépassé dépassée atteint atteinte limite limites trop requêtes demandes crédit crédits insuffisant insuffisants solde
   épuisé épuisée épuisés rechargez compte utilisation service serveur indisponible surchargé clé invalide expirée
   der die das dem den ein eine einen ihr ihre ihrem ihren dein deine sie es ist sind wurde wurden hat haben nicht keine
   kein mehr oder und für mit ohne zu viele zur bitte später erneut noch einmal nochmals versuchen versuche kontingent
   aufgebraucht erschöpft erreicht überschritten anfragen guthaben limit nutzungslimit tageslimit konto laden auf dienst
   server überlastet verfügbar ungültig abgelaufen fehler warten minuten sekunden stunden
   il lo gli i di da del della tuo tua suo sua è sono stato stata non più tardi riprova riprovare nuovo per con senza
   troppe richieste superato superata raggiunto raggiunta esaurito esaurita quota credito crediti insufficiente saldo conto
   limite ricarica ricaricare favore servizio disponibile sovraccarico
   o os as um uma do da seu sua foi foram não mais tarde novamente tente por favor muitas solicitações requisições pedidos
   excedido excedida atingido atingida esgotado esgotada cota limite saldo créditos insuficientes conta recarregue serviço
   indisponível sobrecarregado
   w z na do i lub jest są został została nie więcej później ponownie spróbuj proszę za dużo zapytań żądań przekroczono
   limit limitu osiągnięto wyczerpany wyczerpano środków niewystarczające saldo konto doładuj usługa niedostępna przeciążony
   te veel verzoeken probeer het later opnieuw uw je limiet bereikt quotum overschreden op tegoed onvoldoende saldo is
   вы ваш ваша ваши у вас в на и или не с по за до слишком много частые запросов запросы часто повторите попытку позже
   попробуйте ещё еще раз пожалуйста лимит лимита квота квоты исчерпан исчерпана исчерпаны превышен превышена превышено
   достигнут достигнута недостаточно средств средства баланс баланса счёте счёт счете счет пополните использования запроса
   сервис сервер недоступен перегружен ошибка доступ запрещён через секунд минут часов подождите`.split(
    /\s+/,
  ),
)

/** Terms of notices in languages without spaces between words, longest first. */
const TERMS =
  `请稍后再试 稍后再试 稍后重试 请求 过于 频繁 频率 过高 过快 过多 过大 太 多 次数 次 限制 限流 限速 限额 超过 超出 超限 达到 上限 已达
 已用完 已用尽 已耗尽 已 用完 用尽 耗尽 使用完 您的 您 你的 你 账户 账号 帐户 帐号 余额 不足 请 充值 重试 稍后 再试 配额 额度 套餐 升级 错误 失败 服务
 繁忙 服务器 系统 网络 异常 超时 连接 当前 模型 秒 分钟 小时 今日 今天 本月 每日 每天 每月 每分钟 免费 使用 用户 密钥 无效 过期 登录 未登录 认证 权限
 联系 客服 管理员 购买 试用 结束 到期 欠费 触发 并发 数 的 了 或 和 至 为 在 前 到 后 再 试 之后 暂时 不可用 无法 接口 调用 输入 内容 违规 敏感 过长
 上下文 长度 最大 超长 拒绝 等待 访问 资源 包 量 流量 受限 明天 下月 重置 恢复 将 于 日 月 年 时 分 天 点 积分 点数 先 继续 被 速率 尝试 太快 限
 リクエスト数 リクエスト 多すぎ ます しばらく して から もう一度 お試し ください 残高 不足 い 制限 レート 上限 達し まし た エラー 時間 後 再試行
 クレジット サーバー 混雑 接続 失敗 タイムアウト 認証 無効 利用 回数 超え 使用 量 本日 月間 お待ち 再度 が に を は の で と も し お て せん です 中
 요청이 요청 너무 많습니다 많아 많 습니다 잠시 후 다시 시도 해 주세요 하세요 하십시오 잔액 부족 합니다 한도 초과 하였 했 되었 오류 서버 연결 시간 사용량
 계정 충전 제한 도달 할당량 소진 이 가 을 를 은 는 에 분 초 일 월간 일일 크레딧 입니다`
    .split(/\s+/)
    .sort((a, b) => b.length - a.length)
const TERM = new RegExp(TERMS.join('|'), 'gu')
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** True if a Chinese, Japanese or Korean clause consists of notice terms. Also true for clauses in other languages. */
function isUnspacedNotice(clause: string): boolean {
  const all = clause.match(UNSPACED)?.length ?? 0
  if (all === 0) return true
  const rest = clause.replaceAll(TERM, ' ').match(UNSPACED)?.length ?? 0
  return rest <= all / 8
}

/**
 * The vocabulary of stop notices. A report on work names the things worked on, so a text made only of these words, names,
 * numbers and addresses is not a report. A single other word makes it an answer.
 */
const VOCABULARY = new Set(
  `a an the this that your you you're you've youre youve we we're our it its is was are were be been being has have
   had do does did not no cannot can't can could couldn't couldnt unable to too of on in at by for from with without
   until after before because due and or but so as per than more less then now again later soon just only any all
   some one another other next last current currently already still temporarily shortly today tomorrow please sorry
   error errors exception warning fatal failed failure failing fail aborted stopped stopping terminated ended
   interrupted incomplete rejected refused denied declined blocked flagged limited throttled throttling suspended
   disabled inactive revoked expired invalid incorrect missing required needed unauthorized unauthenticated forbidden
   authentication authenticate authorization oauth api key keys token tokens auth credential credentials login log
   logged sign signed session account user organization org workspace team project subscription plan plans tier free
   paid trial premium billing payment spend spending budget cost usd balance credit credits fund funds money wallet
   insufficient enough low empty zero depleted exhausted remaining left available unavailable usage use used using returned
   limit limits limitation quota quotas allowance cap capacity rate rates request requests message messages prompt
   prompts query call calls call's concurrent many much fast frequent reach reached reaching hit exceed exceeded
   exceeds exceeding over out up above maximum max minimum number total amount size length long large big short
   context window input output conversation history response responses answer completion content policy safety
   filter filters filtered violate violates violated violation guideline guidelines moderation moderated responsible
   rephrase policies settings due model models provider service server servers backend upstream engine system network
   connection internet stream socket gateway host bad internal unexpected unknown overloaded overload busy load demand
   high traffic down maintenance timeout timed time deadline disconnected closed reset resets reconnect lost
   try resend trying retry retrying retries attempt attempts repeated wait waiting continue continuing resume proceed
   upgrade purchase buy add increase raise switch contact support visit check see run go visit page admin
   administrator minute minutes min second seconds sec hour hours day days week weeks month months daily weekly
   monthly hourly hours am pm utc gmt monday tuesday wednesday thursday friday saturday sunday
   jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october
   november december turn turns step steps iteration iterations action actions agent task run execution exec process
   program tool operation access allowed permitted permission exceeded will would get back when
   reduce shorter shorten start new code status type id region country supported round rounds loop loops stop here
   arrears recharge recharged topup overdue unpaid paused suspended top bill billed charge charged
   claude codex gemini anthropic openai google pro plus opus sonnet haiku flash ai cli gpt copilot cursor`.split(
    /\s+/,
  ),
)

/** How sentences begin that say what to do now. */
const ADVICE =
  /^(?:please|try|retry|wait|upgrade|visit|see|check|run|contact|to (?:continue|keep|increase|raise|get|resume)|you can|your (?:limit|plan|quota|usage|session)|resets?\b|it (?:will )?resets?|switch|add|buy|purchase|go to|request[ _]id|for more|learn more|consider|increase|reduce|start a|use |if this|would you like|this (?:may|usually|can)|we apologi[sz]e|or )/i

/** Words that occur only in reports of finished work. */
export const WORK_DONE =
  /\b(?:fixed|added|updated|changed|replaced|renamed|corrected|resolved|implemented|refactored|handled|rewrote|moved|verified|committed|merged|translated|tests? (?:pass|passes|passed|asserted)|passing)\b/i

/** Where one statement ends and the next begins. */
const CLAUSE_END = /[.!?;](?=\s|$)|:\s|,\s|\s[·—–-]\s|\||\n+|[。！？；：，、]/

/** True if a text consists of stop notice words: a cause, then perhaps what to do about it. */
export function isNoticeOnly(text: string): boolean {
  if (isAboutError(text.trim())) return false
  const [first, ...rest] = clausesOf(text)
  return first !== undefined && isVocabulary(first) && rest.every(isNoticeClause)
}

/** True if a text adds nothing to the notice before it. */
export function isNoticeRest(text: string): boolean {
  return clausesOf(text).every(isNoticeClause)
}

function isNoticeClause(clause: string): boolean {
  return isVocabulary(clause) || (ADVICE.test(clause) && !WORK_DONE.test(clause))
}

function clausesOf(text: string): string[] {
  return plainOf(text)
    .split(CLAUSE_END)
    .map(clause => clause.trim())
    .filter(clause => /\p{L}/u.test(clause))
}

/** The text without parts that can say anything: objects, addresses, commands of the program. */
function plainOf(text: string): string {
  return text
    .replaceAll('’', "'")
    .replaceAll(/\{[\s\S]*\}/g, ' ')
    .replaceAll(/\bhttps?:\/\/\S+/g, ' ')
    .replaceAll(/(?<=^|\s)\/[a-z-]+\b/g, ' ')
    .replaceAll(/\([^()]{0,60}\)/g, ' ')
}

/** A word of a language with spaces between words. */
const SPACED_WORD =
  /[\p{Script=Latin}\p{Script=Cyrillic}\d'’./_-]*[\p{Script=Latin}\p{Script=Cyrillic}][\p{Script=Latin}\p{Script=Cyrillic}\d'’./_-]*/gu

/** True if every word is in the vocabulary. Numbers, codes and capitalised names are ignored. */
function isVocabulary(clause: string): boolean {
  const words = clause.match(SPACED_WORD) ?? []
  if (!isUnspacedNotice(clause)) return false
  return words.every((word, index) => {
    const bare = word.replaceAll(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, '')
    const lower = bare.toLowerCase()
    if (VOCABULARY.has(lower) || FOREIGN_WORDS.has(lower)) return true
    if (/\.[a-z]{1,4}$|[a-z][A-Z]|\(/.test(bare)) return /(?:Error|Exception)$/.test(bare)
    return (
      /\d/.test(bare) ||
      /^[A-Z][A-Z_]{2,}$/.test(bare) ||
      (index > 0 && /^[A-Z]/.test(bare)) ||
      /^[a-z]+_[a-z_]+$/.test(bare)
    )
  })
}
