/** Between a flag and its value, on a command line or in an array of arguments. */
const TO = `["'\\s,=]{1,4}`
/** Up to the flag: the rest of the command, within reach. */
const REST = `[^\\n|;]{0,200}?["'\\s]`
const VALUE = `(?!\\*)([^\\s"',]{3,200})`

const after = (programs: string, flag: string, to = TO) =>
  new RegExp(`\\b(?:${programs})\\b${REST}${flag}${to}${VALUE}`, 'g')

/** curl's user and password. `-u` with a numeric user and group is Docker's; `$PASSWORD` is filled by the shell. */
const LOGIN =
  /(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,2}["']?(?!\d+:\d+\b)[^\s:"']{1,80}:(?![*$])([^\s"']{1,})/g
/** The same in quotes, where a password may have spaces. */
const QUOTED_LOGIN =
  /(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,2}["'](?!\d+:\d+\b)[^\s:"']{1,80}:(?![*$])([^"'\n]{1,200})(?=["'])/g
/** What is printed into a program that reads a secret. */
const PIPED =
  /\b(?:echo|printf)\s{1,4}(?:-n\s|["']?%s["']?\s)?["']?(?![*$])([^\s"'|]{3,400})(?=["']?\s{0,4}\|[^\n|]{0,200}(?:-stdin|--with-token|sudo -S|chpasswd)\b)/g

/** Programs that take a password by a short flag, or from a pipe. The secret is the last group, at the end of the match. */
export const COMMANDS: readonly { mark: string; form: RegExp }[] = [
  ...[' -u', '"-u', "'-u", '-user'].flatMap(mark => [
    { mark, form: LOGIN },
    { mark, form: QUOTED_LOGIN },
  ]),
  {
    mark: 'securestring',
    form: /\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'](?![*$])([^"'\n]{3,200})/gi,
  },
  { mark: 'sshpass', form: /\bsshpass -p ?["']?(?!\*)([^\s"']{1,})/g },
  { mark: 'login', form: after('login', '-p') },
  { mark: 'mysql', form: after('mysql\\w*', '-p', '') },
  { mark: 'mariadb', form: after('mariadb\\w*', '-p', '') },
  { mark: 'redis-cli', form: after('redis-cli', '-a') },
  { mark: 'ldap', form: after('ldap\\w+', '-w') },
  { mark: 'sqlcmd', form: after('sqlcmd', '-P') },
  { mark: 'smbclient', form: /\bsmbclient\b[^\n|;]{0,200}?\s-U[ =]?[^\s%]{1,60}%(?!\*)([^\s"']{1,200})/g },
  {
    mark: 'htpasswd',
    form: /\bhtpasswd\b[^\n|;]{0,80}?\s-\w{0,4}b\w{0,4}\s{1,4}\S{1,200}\s{1,4}\S{1,80}\s{1,4}(?!\*)(\S{1,200})/g,
  },
  // The pair of flags that most other programs take; `-p 8080:80` is a port.
  {
    mark: ' -p',
    form: /(?<![\w-])-u(?:ser(?:name)?)?[ =]\S{1,80} -p(?:ass(?:word)?)?[ =](?!\d[\d:./-]*(?:\s|$))(?![*$-])["']?([^\s"']{3,200})/g,
  },
  {
    mark: ' -a ',
    form: /\bhttps? (?:[^\n|;]{0,80}\s)?(?:-a|--auth)[ =]["']?[^\s:"']{1,80}:(?![*$])([^\s"']{2,200})/g,
  },
  ...['-stdin', '--with-token', 'sudo -s', 'chpasswd'].map(mark => ({ mark, form: PIPED })),
]
