import { matchesOf } from '../text/matches.ts'
import { anyOf, mayContain, type Prefilter, prefilterOf, type Words } from '../text/prefilter.ts'
import { isLoginPage } from './page.ts'
import { grpcWord, isReserved, sqlStateWords } from './shapes.ts'

/**
 * Codes in the notation of their family: "14 UNAVAILABLE:", "SQLSTATE 40P01", "curl: (28)", "MCP error -32001". They become
 * the same words as the fields of an error object (see shapes.ts).
 */
export function textWords(source: string, prefilter: Prefilter = prefilterOf(source)): string[] {
  const found: string[] = []
  for (const { needs, beside, form, words } of FORMS) {
    if (!mayContain(prefilter, needs) || beside?.test(source) === false) continue
    for (const [, first = '', second = ''] of matchesOf(form, source).take(MOST))
      found.push(...words(first, second))
  }
  return found
}

const MOST = 4

interface Form {
  /** A prefilter: most texts contain none of these. */
  needs: Words
  /** What else the text must contain for the form to count. */
  beside?: RegExp
  form: RegExp
  words: (first: string, second: string) => readonly string[]
}

const HTTP2 = `no_error protocol_error internal_error flow_control_error settings_timeout stream_closed
  frame_size_error refused_stream cancel compression_error connect_error enhance_your_calm inadequate_security
  http_1_1_required`.split(/\s+/)

const FORMS: Form[] = [
  {
    // Only what a client quotes as the answer it got: others write about such pages.
    needs: anyOf('<html', '<!doctype html'),
    beside:
      /\bnon-SSE response\b|\bcontent-type:? text\/html\b|\b(?:expected|not|instead of) (?:valid )?JSON\b/i,
    form: /(<(?:!doctype html|html)[\s>][\s\S]{0,4000})/gi,
    words: page => (isLoginPage(page) ? ['page=login'] : []),
  },
  {
    needs: anyOf('timeout'),
    form: /^\W*(?!(?:no|set|invalid|illegal|bad|unknown|missing|default)\b)(?:[\w-]{2,30} ){1,3}timeout\W*$/gi,
    words: () => ['said=timeout'],
  },
  {
    // How a wrapper passes on the whole message of the error inside it.
    needs: anyOf('last error: ', 'caused by: ', 'reason: '),
    form: /\b(?:last error|caused by|reason): (\w+(?: \w+){0,3})[.!]?\s*$/gi,
    words: said => [`message=${said.toLowerCase()}`],
  },
  {
    needs: anyOf('errno', 'winerror'),
    form: /\b(?:errno|WinError):? ?(\d{2,5})\b/gi,
    words: number => [`os_errno=${number}`],
  },
  {
    // How programs report a call of Windows: its name, then the number of the error.
    needs: anyOf('failed: 0', 'failed with', 'failed (0', 'failed 0'),
    beside: /[a-z](?:W|A|Ex)\b|GetLastError/,
    form: /\b(?:[A-Z][a-z]+[A-Z]\w{2,40}(?:W|A|Ex)|GetLastError)\b[^\n\d]{0,60}\bfailed(?: with)?(?: error)?(?: code)?:? \(?(\d{1,5})\b/g,
    words: number => [`win32=${number}`],
  },
  {
    needs: anyOf('requested'),
    beside: /Requested/,
    form: /\bLimit:? ~?([\d,]{1,12})\b[^\n]{0,60}?\bRequested:? ~?([\d,]{1,12})\b/gi,
    words: (limit, requested) => beyond(requested, limit),
  },
  {
    needs: anyOf('0 tokens'),
    beside: /tokens[^\n]{0,80}\d tokens/i,
    form: /\b(?:request(?:ed|s|ing)?(?: (?:of|is|has|for))?|needs?|requires?) ~?([\d,]{2,12}) tokens\b[^\n]{0,40}?\b(?:limit|max|maximum|only|at most|up to)\b[^\d\n]{0,20}([\d,]{2,12}) tokens\b/gi,
    words: beyond,
  },
  {
    needs: anyOf('tokens requested'),
    form: /\b([\d,]{2,12}) tokens requested\b[^\n]{0,40}?\b([\d,]{2,12}) tokens\b/gi,
    words: beyond,
  },
  {
    needs: anyOf('0 '),
    beside: /[A-Z]{3}: /,
    form: /(?:^|[\s"'(:])\d{1,2} ([A-Z][A-Z_]{4,20}): /g,
    words: grpcWord,
  },
  {
    needs: anyOf('statuscode', 'rpc error', 'connecterror'),
    form: /\b(?:StatusCode\.|rpc error: code = |ConnectError: \[)([A-Za-z_]{5,20})/g,
    words: grpcWord,
  },
  {
    needs: anyOf('with error code'),
    form: /closed with error code (?:(\d{1,2})\b|NGHTTP2_(\w{2,30}))/g,
    words: (number, name) => [`http2=${name.toLowerCase() || HTTP2[Number(number)]}`],
  },
  {
    needs: anyOf('closed: 000', 'terminated: 000', 'by server: 000'),
    form: /\b(?:closed|terminated)(?: by server)?: (\d{3}) \([A-Z-]{3,30}\)/g,
    words: code => [`amqp=${code}`],
  },
  {
    needs: anyOf('clos'),
    form: /\b(?:web ?socket|ws)\w{0,10}\b[^\n]{0,60}?\bclos(?:ed?|ing|ure)\b[^\d\n]{0,30}\b([134]\d{3})\b/gi,
    words: code => [`close=${code}`],
  },
  {
    needs: anyOf('sqlstate', 'sql state'),
    form: /\bSQL ?STATE\W{1,3}([0-9A-Z]{5})\b/gi,
    words: state => sqlStateWords(state.toUpperCase()),
  },
  {
    needs: anyOf('error 0000', 'error: (0000'),
    form: /(?:\bERROR |(?<=\b\w{2,20})Error: \()(\d{4})\b(?: \(([0-9A-Z]{5})\)(?: at line \d{1,9})?:|, )/g,
    words: (number, state) => [`errno=${number}`, ...sqlStateWords(state)],
  },
  {
    needs: anyOf('mcp error'),
    beside: /MCP error/,
    form: /^\W*(?:\w{0,20}Error: )?MCP error (-32000|-32603): (connection closed|internal error)\W*$/gi,
    words: (code, text) => [`mcp=${code} ${text.toLowerCase()}`],
  },
  {
    needs: anyOf('mcp error', 'rpc error'),
    form: /\b(?:MCP|JSON-?RPC) error (-3\d{4})\b/gi,
    words: code => [`code=${code}`],
  },
  {
    needs: anyOf('cloudflare'),
    beside: /cloudflare/i,
    form: /\berror(?:<[^>]{0,60}>|\s|:|code){1,12}(1[0-2]\d\d)\b/gi,
    words: code => [`cloudflare=${code}`],
  },
  {
    needs: anyOf('error code: 0'),
    form: /^\W{0,9}(?:html>)?error code: (1[0-2]\d\d)\b/gi,
    words: code => [`cloudflare=${code}`],
  },
  {
    // Cloudflare's own status always carries such a code; other vendors use the same numbers beside other statuses.
    needs: anyOf('error code: 0'),
    form: /\b530\b[^\n]{0,30}?\berror code: (1[0-2]\d\d)\b/gi,
    words: code => [`cloudflare=${code}`],
  },
  {
    needs: anyOf('enotfound ', 'resolve host'),
    form: /(?:ENOTFOUND|resolve host(?:name)?:?) (\S{1,253})/g,
    words: name => (isReserved(name.replace(/[,:;)]+$/, '')) ? ['host=reserved'] : []),
  },
  {
    needs: anyOf('ora-00000'),
    form: /\bORA-(\d{5})\b/g,
    words: number => [`ora=${Number(number)}`],
  },
  { needs: anyOf('curl: ('), form: /\bcurl: \((\d{1,2})\)/g, words: code => [`curl=${code}`] },
  {
    needs: anyOf('broken by'),
    form: /\bafter connection broken by '(\w{3,40})\(/g,
    words: name => [`broken_by=${name.toLowerCase()}`],
  },
  {
    needs: anyOf('error responses'),
    form: /\btoo many ([45]\d\d) error responses/g,
    words: status => [`responses=${status}`],
  },
  {
    needs: anyOf('filenotfounderror'),
    form: /FileNotFoundError: \[Errno 2\] No such file or directory: '([a-z][\w-]{0,40})'/g,
    words: () => ['program=missing'],
  },
  {
    needs: anyOf('0.0.0'),
    beside: /[45]\.\d\.\d/,
    form: /\b([45]\d\d)(?:[ -]|, b?['"])#?([45]\.\d{1,3}\.\d{1,3})\b/g,
    words: (code, enhanced) => [`smtp=${code}`, `smtp=${enhanced}`],
  },
]

/** A request for more than a whole window allows. */
function beyond(requested: string, limit: string): readonly string[] {
  return numberOf(requested) > numberOf(limit) ? ['asked=beyond_limit'] : []
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''))
}
