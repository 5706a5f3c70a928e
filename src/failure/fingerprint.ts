const LONGEST = 400

/**
 * Groups the same failure of a provider across time: what changes from one occurrence to the next (times, ids,
 * numbers, paths, hashes, quoted names, case) is taken out, the words and their order stay.
 */
export function fingerprintOf(parts: {
  provider?: string | undefined
  name?: string | undefined
  text: string
}): string {
  const shape = [
    parts.provider?.toLowerCase() ?? '',
    parts.name?.toLowerCase() ?? '',
    shapeOf(parts.text),
  ].join('\u0000')
  return `fp1:${hash(shape)}`
}

/** The words of a text without what differs between two occurrences of the same failure. */
export function shapeOf(text: string): string {
  return text
    .slice(0, LONGEST * 8)
    .toLowerCase()
    .replaceAll(/\x1b\[[0-9;]*m/g, ' ')
    .replaceAll(/\b[a-z]{2,10}:\/\/\S{1,500}/g, ' url ')
    .replaceAll(/(?:[a-z]:)?(?:[/\\][\w.@~+-]{1,80}){2,30}/g, ' path ')
    .replaceAll(/\b[\w-]{0,12}_[a-z0-9]{8,80}\b/g, ' id ')
    .replaceAll(
      /\b(?=[a-z0-9-]{0,80}\d)(?=[a-z0-9-]{0,80}[a-z])[a-z0-9]{4,40}(?:-[a-z0-9]{2,40}){1,8}\b/g,
      ' id ',
    )
    .replaceAll(/\b(?=[a-z]{0,60}\d)[a-z0-9]{8,80}\b/g, ' id ')
    .replaceAll(
      /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b(?=[ ,.:#\d]{0,4}\d)/g,
      ' ',
    )
    .replaceAll(/\d+(?:[.,:/tz+-]\d+)*(?:ms|s|m|h|d|am|pm|st|nd|rd|th|z)?\b/g, ' # ')
    .replaceAll(/[^\p{L}#]+/gu, ' ')
    .replaceAll(/(?: (?:#|id))+(?= |$)/g, ' #')
    .trim()
    .slice(0, LONGEST)
}

/** 64 bits of a text, as hex: two passes of a multiplicative hash, enough to tell failures apart. */
function hash(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}
