import { isAboutError } from './answer-about-error.ts'
import { FOREIGN_WORDS, isUnspacedNotice } from './notice-languages.ts'

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
