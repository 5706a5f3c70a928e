/** Between a flag and its value, on a command line or in an array of arguments. */
const TO = `["'\\s,=]{1,4}`
/** Up to the flag: the rest of the command, within reach. */
const REST = `[^\\n|;]{0,200}?["'\\s]`
const VALUE = `(?!\\*)([^\\s"',]{3,200})`

const after = (programs: string, flag: string, to = TO) =>
  new RegExp(`\\b(?:${programs})\\b${REST}${flag}${to}${VALUE}`, 'g')

/** Programs that take a password by a short flag, or from a pipe. The secret is the last group, at the end of the match. */
export const COMMANDS: readonly { mark: string; form: RegExp }[] = [
  // `-u` with a numeric user and group is Docker's; `$PASSWORD` is filled by the shell.
  {
    mark: '-u',
    form: /(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,2}["']?(?!\d+:\d+\b)[^\s:"']{1,80}:(?![*$])([^\s"']{1,})/g,
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
  {
    mark: '-stdin',
    form: /\b(?:echo|printf)\s{1,4}(?:-n\s|["']?%s["']?\s)?["']?(?![*$])([^\s"'|]{3,400})(?=["']?\s{0,4}\|[^\n|]{0,200}-stdin\b)/g,
  },
  {
    mark: '--with-token',
    form: /\b(?:echo|printf)\s{1,4}(?:-n\s|["']?%s["']?\s)?["']?(?![*$])([^\s"'|]{3,400})(?=["']?\s{0,4}\|[^\n|]{0,200}--with-token\b)/g,
  },
]
