/** Words in the name of a variable that holds a credential, or says whose account is used. */
const WORDS = new Set([
  ...[
    'TOKEN',
    'TOKENS',
    'KEY',
    'KEYS',
    'APIKEY',
    'SECRET',
    'SECRETS',
    'PAT',
    'JWT',
    'BEARER',
    'COOKIE',
    'OAUTH',
  ],
  ...['PASSWORD', 'PASSWD', 'PASS', 'PASSPHRASE', 'PWD', 'AUTH', 'AUTHORIZATION', 'AUTHENTICATION'],
  ...['CREDENTIAL', 'CREDENTIALS', 'CREDS', 'LOGIN', 'USER', 'USERNAME', 'EMAIL', 'ACCOUNT', 'PROFILE'],
  ...['TENANT', 'ORG', 'ORGANIZATION', 'SUBSCRIPTION', 'DSN', 'WEBHOOK', 'CERT', 'CERTIFICATE', 'KUBECONFIG'],
])

/** The same at the end of a longer word: PGPASSWORD. */
const ENDS = /(?:PASSWORD|TOKEN|SECRET|USER)$/

/** Endings of variables that name a place together with its login, or decide which account answers. */
const PLACES = /(?:^|_)(?:URL|URI|HOST|ENDPOINT|CONNECTION_STRING|CONFIG_DIR|CONFIG_HOME)$/

/** Where programs find the logins of a user. */
const ALWAYS = new Set(['HOME', 'USERPROFILE', 'APPDATA', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'])

/** Words of variables that are made anew for each session, terminal or process, whatever else their names say. */
const PASSING = new Set(['SESSION', 'SOCK', 'SOCKET', 'IPC', 'PID', 'PORT', 'TTY', 'TRACE', 'NONCE'])

/** Programs that set variables of their own for what they start, or have their own model and login in them. */
const OF_CLIENTS =
  /^(?:CLAUDE|CLAUDECODE|ANTHROPIC|CODEX|OPENCODE|GEMINI_CLI|QWEN_CODE|KIMI|COPILOT|CURSOR|WINDSURF|ZED|VSCODE|ITERM|WEZTERM|KITTY|GNOME|KONSOLE|npm|MULLIGAN|GOOGLE_GEMINI|XDG_SESSION|SSH|DBUS|WT|TERM)(?:_|$)/

/** Variables of clients that are credentials all the same, as a server may use them too. */
const OF_VENDORS = /_(?:API_KEY|OAUTH_TOKEN)$/

/**
 * Whether a variable may decide in whose name a server acts. A list of what counts, not of what does not: two sessions of
 * one login are one, whatever else their clients put into the environment.
 */
export function isCredential(name: string): boolean {
  if (ALWAYS.has(name)) return true
  if (OF_CLIENTS.test(name)) return OF_VENDORS.test(name)
  const words = name.toUpperCase().split('_')
  if (words.some(word => PASSING.has(word)) || name === 'PWD' || name === 'OLDPWD') return false
  return words.some(word => WORDS.has(word) || ENDS.test(word)) || PLACES.test(name.toUpperCase())
}
