/**
 * Recognises answers about failures, in any language. An explanation quotes the error, says what it means, or says what
 * was done about it; a stop notice does none of these.
 */

/** Opening quotation marks, with the marks that close them. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '”': '”',
  '„': '“”',
  '‘': '’',
  '«': '»',
  '»': '«',
  '‹': '›',
  '「': '」',
  '『': '』',
  '《': '》',
}

/** The quoted text at the beginning, and what follows it; undefined if the text does not begin with a quotation. */
function quotedOpening(text: string): { quoted: string; rest: string } | undefined {
  const closing = QUOTES[text[0] ?? '']
  if (closing === undefined) return undefined
  for (let at = 1; at < text.length; at++)
    if (closing.includes(text[at] as string)) return { quoted: text.slice(1, at), rest: text.slice(at + 1) }
  return undefined
}

/** Removes the quotation marks around a sentence. */
export function unquoted(text: string): string {
  const opening = quotedOpening(text)
  return opening && !/[\p{L}\p{N}]/u.test(opening.rest) ? opening.quoted.trim() : text
}

/** More than a name: many a notice begins with a quoted model name. */
const SENTENCE = /\S\s+\S|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3}/u

const MEANING = [
  /\b(?:means|stands for|refers to|translates (?:to|as)|is what|is the (?:message|error|text|wording)|translation:)/i,
  /表示|意思|是指|指的是|意味着|这条|这个错误|即可|翻译\s?[:：]|译文/,
  /とは|意味|のこと(?:です|で)|訳\s?[:：]/,
  /뜻|의미|번역\s?:/,
  /означает|значит|обозначает|перевод:/i,
  /\b(?:bedeutet|heißt|steht für)|übersetzung:/i,
  /\b(?:signifie|veut dire|désigne|traduction ?:)/i,
  /\b(?:significa|quiere decir|vuol dire|quer dizer|traducci[óo]n:|traduzione:|tradução:|oznacza|betekent)/i,
]

const DONE = [
  /我(?:已|把|将|在|们|给|为)|(?:修复|添加|补充|更新|完成|翻译|处理|增加|修改|实现|解决|新增|调整|记录|改)(?:了|好|完|为|成)|已(?:经)?(?:修复|添加|补充|更新|完成|翻译|处理|增加|修改|实现|解决|新增|调整|改)/,
  /(?:追加|修正|対応|更新|翻訳|実装|変更|解決|完了)(?:しました|済み|した)/,
  /(?:추가|수정|변경|구현|번역|업데이트|해결|처리|완료)(?:했|하였|되었)|고쳤/,
  /(?:добавил|исправил|обновил|изменил|реализовал|перевёл|перевел|сделал)|готово/i,
  /\bich habe\b|\b(?:behoben|ergänzt|hinzugefügt|angepasst|korrigiert|übersetzt|umgesetzt)\b/i,
  /\bj['’]ai\b|\b(?:corrigé|ajouté|traduit)e?s?\b/i,
  /\bhe (?:añadido|corregido|agregado|actualizado)\b|\b(?:añadí|agregué|corregí|corregido)\b/i,
  /\bho (?:aggiunto|corretto|aggiornato)\b|\b(?:corretto|risolto)\b/i,
  /\b(?:adicionei|corrigi|corrigido|atualizei)\b/i,
  /\b(?:dodałem|dodałam|poprawiłem|poprawiono|naprawiono)/i,
  /\bik heb\b|\b(?:opgelost|toegevoegd)\b/i,
  /\b(?:i|we) (?:have |now |also |just )?(?:added|documented|wrote|made|put|show|explained|caught|covered)\b|^(?:done|added|documented)\b/i,
]

/** A heading, or a list whose entries may each be an error text. */
const LIST =
  /^#{1,6} \S|^\/\/|^[a-z]{2}(?:-[A-Z]{2})?: [^\n]*\n[a-z]{2}(?:-[A-Z]{2})?: |^(?:\d{1,2}[.)]|[-*•|])\s[^\n]*\n\s*(?:\d{1,2}[.)]|[-*•|])[\s-]/

/** True for a text that explains an error, says what was done about it, or lists several. */
export function isAboutError(text: string): boolean {
  const opening = quotedOpening(text)
  if (opening && SENTENCE.test(opening.quoted) && /\p{L}/u.test(opening.rest)) return true
  return LIST.test(text) || MEANING.some(form => form.test(text)) || reportsWork(text)
}

/** True for a text that reports finished work, in any language. */
export function reportsWork(text: string): boolean {
  return DONE.some(form => form.test(text))
}
