/** What a name says about its value. */
export type NameMeaning =
  /** A password or a key, no matter what it looks like. */
  | 'secret'
  /** A token or a key, unless the value is a word or a count. */
  | 'token'
  /** A secret only if the value looks like one. */
  | 'maybe'
  /** The whole header is a secret. */
  | 'cookie'
  | 'authorization'
  /** `Bearer` and `Basic`, which precede the secret without a separator. */
  | 'scheme'
  | 'nothing'

const SECRET =
  /(?:passw(?:or)?[dt]|passord|motdepasse|psk|secretkeybase|passphrase|passcode|pwd|secret|apikey|apisecret|accesskey|accesskeyid|accountkey|secretkey|secretaccesskey|privatekey|encryptionkey|signingkey|masterkey|sharedkey|credentials?)$/
const TOKEN =
  /(?:token|authkey|servicekey|subscriptionkey|licensekey|functionskey|deploykey|sshkey|clientkey|adminkey|keydata)$/
/** Passwords in other languages. */
const FOREIGN_PASSWORDS =
  "kennwort,mot de passe,contraseña,contrasena,senha,wachtwoord,salasana,heslo,hasło,haslo,lösenord,losenord,şifre,sifre,parola,parola d'accesso,jelszó,jelszo,kodeord,adgangskode,kata sandi,mật khẩu,mat khau,κωδικός,пароль,密码,密碼,パスワード,비밀번호,รหัสผ่าน,كلمة المرور,كلمة السر,סיסמה,पासवर्ड".split(
    ',',
  )
/** Keys and tokens in other languages: some are ordinary words too. */
const FOREIGN_KEYS =
  "schlüssel,schluessel,clé d'api,clé api,clé secrète,clave de api,clave api,clave secreta,chave de api,chave da api,chave secreta,chiave api,chiave segreta,токен,ключ,密钥,密鑰,令牌,トークン,apiキー,토큰,api 키".split(
    ',',
  )
export const FOREIGN: readonly string[] = [...FOREIGN_PASSWORDS, ...FOREIGN_KEYS]
/** Tokens of models and parsers. */
const COUNTED =
  /(?:input|output|prompt|completion|max|min|per|total|cached|reasoning|eos|bos|pad|stop|unk|mask|special|unexpected|invalid|missing|expired|expected|illegal|bad|first|last|end|current|syntax)_?token$/
/** `sig=` and `X-Amz-Signature=` of signed URLs, `_auth=` of npm, `DB_PASS=`, `OPENAI_KEY=`. */
const MAYBE = /(?:^appid|^sig|signature|^auth|.auth|^pass|.pass|^pw|^key|.key|.keyid|crumb|.pat)$/

/** Where or when a key is for, after its name: `API_KEY_PROD`, `SECRET_2`. */
const OF_PLACE =
  /[-_.](?:prod|production|dev|development|stag(?:e|ing)|test|live|sandbox|private|old|new|next|v?\d{1,3})$/i

/** What a name (`dbPassword`, `X-Api-Key`, `AWS_SECRET_ACCESS_KEY`) says about its value. */
export function meaningOfName(name: string): NameMeaning {
  const compact = name.replace(/[-_. ]/g, '').toLowerCase()
  if (compact === 'cookie' || compact === 'setcookie') return 'cookie'
  if (compact.endsWith('authorization')) return 'authorization'
  if (compact === 'bearer' || compact === 'basic') return 'scheme'
  if (SECRET.test(compact)) return 'secret'
  if (TOKEN.test(compact)) return COUNTED.test(compact) ? 'nothing' : 'token'
  if (MAYBE.test(compact)) return 'maybe'
  const lower = name.toLowerCase()
  if (FOREIGN_PASSWORDS.some(word => lower.endsWith(word))) return 'token'
  if (FOREIGN_KEYS.some(word => lower.endsWith(word))) return 'maybe'
  return OF_PLACE.test(name) && meaningOfName(name.replace(OF_PLACE, '')) !== 'nothing' ? 'maybe' : 'nothing'
}
