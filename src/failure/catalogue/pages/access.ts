import { page } from '../page.ts'

/** Keys, logins and rights. */
export default page(
  'access',
  `
key_refused: auth specific account · the key, token or login is wrong, missing, expired or revoked
  says (api|access|secret|license|) key (is|was|has been|) (inactive|suspended|unknown|not active),
    (use|provide) (an|a|the|) (authtoken|auth token|oauth token) … instead,
    (enter|provide|need|needs|requires) (a|your|) (valid|) (license|licence) key,
    (code|grant) (has been|was|is|has) (revoked|expired|already used),
    no active account, (sign|log) in (if|to view|to access|to use|to confirm|to see|again|first|to continue), unregistered callers,
    (key|token|credential|credentials) … (has|have|was|were|is|are) (been|) (revoked|deactivated|rotated),
    (must|need to|have to|please) (use|provide|supply|include|pass|specify|add|enter|set) (an|a|your|the|valid|) (valid|) (api key|api token|access token|token|apikey|credentials),
    (api|apikey|api key|access key|access token|auth) … (is|are) (invalid or missing|missing or invalid|invalid|required|missing),
    (key|token) id … does not exist,
    (invalid|incorrect|wrong|illegal) (api|x api|access|auth|authentication|bearer|subscription|oauth|id|refresh|security|session|) (key|token|credentials|credential|apikey),
    bad (api|x api|access|auth|authentication|bearer|subscription|oauth|security) (key|token|credentials|credential|apikey),
    (api|access|secret|subscription) key (is|was|not|has|) (not valid|invalid|incorrect|expired|missing|required|not found|revoked|disabled|not provided|not set|valid),
    (missing|no|without|not have any) (an|the|your|valid|) (api key|apikey|auth credentials|credentials|credential sources|access token|bearer token|authorization header|authentication information|authentication configured|auth token|authentication token),
    (oauth|access|refresh|auth|session|security|bearer|login|id|api|) token (included in the request|provided|you provided|) (has|has been|is|was|) (already|) (expired|revoked|invalid|not valid|malformed|not active),
    (not|isnt|arent|need to be|must be|no longer|are not) (logged in|logged into|signed in|signed into|authenticated),
    please (log in|login|sign in|authenticate|re authenticate|reauthenticate|run login),
    (please|then|and|by|to) (run|running|use|complete|start) (the|) (login|auth login|codex login|gcloud auth|auth flow|oauth flow|login flow|authentication flow|auth command|auth setup), no (refresh|access|auth|oauth|session) token (is|was|) (set|available|provided|stored|saved), (run|failed to) … login,
    login (expired|required|has expired|failed),
    (session|login|token|key|credential|credentials) (is|are) (no longer|not) (valid|active|accepted), (signed|logged) out,
    (sso|login|auth|oauth|user) session … expired, refused not authorized, (api|access) key (detected|found|required|must be set|environment), (locate|find|load|read) … credentials,
    (reauthentication|re authentication) (failed|required|is required|needed), refreshing your … (token|tokens|credentials),
    (token|key|secret|password) (environment variable|env var|environment variables), (2fa|mfa) … (required|needed|code),
    could not (validate|verify|authenticate) (your|the|) (credentials|token|api key|user|you),
    (could not|couldnt|failed to|unable to) (be refreshed|refresh) (your|the|oauth|) (access|) token,
    token (could not|refresh failed|refresh error),
    (credentials|credential) (expired|missing|invalid|not found|are invalid|have expired|could not be loaded),
    (incorrect|wrong|invalid|bad) (username|user name|login|email|password|passphrase|user),
    (secret|key|keys|secrets|password) … (is|are|has|have) expired, client secret … expired, unauthenticated, (set|specify) the … api key,
    (api|auth) key … environment variable, permission denied publickey, could not read username,
    signature (does not match|mismatch|you provided), incomplete signature, needs you to sign in, re authorization, set an auth method,
    (schlüssel|clave|token|contraseña|clé|jeton) … (inaktiv|ungültig|abgelaufen|gesperrt|falsch|incorrecta|incorrecto|caducada|caducado|inactiva|inactivo|incorrecte|incorrect|inactive|inactif),
    (ungültiger|ungültige|falscher|fehlender|clé|jeton|chave) (api|zugangs||d api|de api) (schlüssel|token|key|invalide|non valide|expirée|expiré|inválida|não),
    (clave|token) (de api|api|) (no válida|inválida|no válido|inválido),
    (неверный|nicht|non|no|anmeldung) (api|токен|ключ|angemeldet|autorisiert|autorisé|autorizado|autorizzato|erforderlich),
    (недействительный|無効なapi|无效的api), (キーが無効|認証に失敗|認証エラー|认证|密钥|유효하지 않은|인증|未授权|鉴权失败|身份验证|令牌|登录失效)
  unless (requires|require|needs) (setting|to set) (the|) … env var, (promo|promotion|coupon|discount|voucher|gift|referral) code,
    ({nologin}) (token|tokens|key|keys|signature|signatures), token (limit|count|index|position|budget|type), session id, authentication method,
    (unauthorized|unauthorised|forbidden) (character|characters|header|field|word|words), signature … (thinking|thought|reasoning)
  eg {"status":400,"headers":{},"body":{"error":{"message":"API key not valid. Please pass a valid API key."}}}
unauthorized: auth general · a bare word for a refused login
  says ticket (has|is|was|) (expired|invalid), invalid ticket, no auth error, (failed to|could not|couldnt|cannot|unable to) (authenticate|log in),
    (jwt|token|cookie|session|credential|credentials|login|certificate of login|oauth|sso|password) (has|have|is|was|) (expired|revoked|invalidated|rejected),
    (jwt|token|signature|credentials) (is|was|) (malformed|invalid|rejected|not accepted),
    (invalid|bad|expired) (jwt|token|signature|login|session|cookie|otp|credentials), unauthorized, authentication
  unless does not exist or not authorized, csrf, ({nologin}) (token|tokens|key|keys|signature|signatures), token (limit|count|index|position|budget|type), session id, authentication method,
    (unauthorized|unauthorised|forbidden) (character|characters|header|field|word|words), signature … (thinking|thought|reasoning)
  eg Error: Unauthorized
unaccepted: auth last · something is the matter with a key, a login or a certificate, if nothing else is said
  says ({secret}) (is|was|are|were|has been|has|have|have been|) (not|never|) (been|) (valid|known|presented|recognized|accepted|supplied|provided|given|expired|revoked|consumed|incorrect|wrong|invalid|missing|rejected|refused|denied|required),
    ({secret}) (you|that you|) (supplied|provided|sent|gave|used) (is|was|has|are) (not|),
    ({secret}|sso|bearer) … (mismatch|lapsed|failure|failed|failing|not|wrong|first|disabled|expired), (no|bad|wrong|without) (secret|private|public|ssh|api|access|client|user|) ({secret}), (could not|cannot|unable to) (read|decrypt|unlock|use|verify) … ({secret}),
    (expired|revoked|rejected|missing|unaccepted|untrusted) (api|access|) ({secret}), (factor|otp|mfa|verification|security|login) (code|token) (is|) (required|needed|missing|wrong),
    (could not|cannot|unable to|failed to) (get|obtain|retrieve|fetch|resolve|acquire|load) (any|the|your|aws|) (credentials|credential|identity|access token|token)
  unless tokens, ({nologin}) (token|tokens|key|keys|signature|signatures), token (limit|count|index|position|budget|type), session id, authentication method,
    (unauthorized|unauthorised|forbidden) (character|characters|header|field|word|words), signature … (thinking|thought|reasoning)
  eg JWT signature verification failed
barred: forbidden last · only some may do this, if nothing else is said
  says only (the|an|) … (may|can) (delete|edit|change|remove|create|add|see|view|use|do|access|invite|approve|publish|run), only (granted|given|open|accessible|visible) to,
    (account|region|user|feature|api|app|integration|tenant) (is|was|has been|) (disabled|inactive|deactivated|frozen|closed), (members|admins|owners|administrators|subscribers|employees) only
  eg Only the owner may delete a board
region: unsupported_region specific · the vendor does not serve this country or network; only another egress helps
  says (country|region|territory|location|area) (is|are|) not supported,
    unsupported (country|countries|region|regions|location|locations|territory|territories),
    not (available|supported|offered|accessible) in (your|this) (country|region|location|area|territory),
    (isnt|is not|not) available … in your (country|region), restricted region, from your country, region restricted,
    (in|for) your jurisdiction, blocked before it reached, access blocked by cloudflare, 地区不支持
  eg {"status":403,"headers":{},"body":{"error":{"message":"Country, region, or territory not supported"}}}
forbidden: forbidden general · the login is valid but may not do this
  says (keine|fehlende) (erlaubnis|berechtigung|berechtigungen|rechte),
    (email|account|phone|number|sender|domain|address) (is|has|) (not|not been|unverified) (confirmed|verified|activated|approved|yet verified),
    denied (the|this|your) (request|operation|action), request (is|was|has been) denied, (forbids|prohibits|disallows) (access|requests|the use|use),
    row level security,
    (is|are|has been|have been|was) (disabled|blocked|restricted|turned off|deactivated|suspended) (for|on|in|at) (this|your|the) (repository|account|project|organization|organisation|workspace|user|team|tenant|subscription|app|key|domain),
    (suspicious|fraudulent|abnormal|malicious) (activity|behavior|behaviour|login|traffic),
    (has been|have been|was) blocked (as|because|by|for|from),
    (requires|needs|require|need) (a|an|) (enterprise|business|commercial|valid|active) (license|licence),
    (sso|saml) (must be|is|needs to be|has to be|not|) (authorized|authorised|required|enabled),
    (has been|have been|was|were|is|are) permanently (banned|blocked|suspended|disabled),
    only available (to|for|on|with) (verified|approved|selected|paying|enterprise|certain|eligible|whitelisted|invited|business|partner),
    (disabled|blocked|turned off|restricted|prohibited|denied) by (your|the|an|a) (admin|administrator|organization|organisation|policy|workspace|owner|company|it department|security policy),
    (plan|subscription|tier|account|license) upgrade (is|) (required|needed|necessary),
    (upgrade|update) (your|the) (plan|subscription|account|tier|license) to (access|use|enable|unlock|get),
    not (in channel|enrolled|accessible by|a member of),
    (not|isnt|arent) (subscribed|included|available|enabled|offered|part of|allowed|supported|covered) (in|on|by|for|with|under|to) (the|your|this|current|any) … (plan|tier|subscription|package|license|edition|account|role),
    (requires|require|needs|need) (an|a|the|) (admin|administrator|owner|root|elevated|higher|enterprise) (privileges|privilege|permission|permissions|role|rights|access|approval|plan|tier),
    access (to|) … (is|has been) (restricted|denied|limited|forbidden|blocked|gated|revoked|disabled),
    (ip|ip address|address|country|network|domain|origin) (is|has been|was|) (blocked|banned|not allowed|denied|blacklisted|not permitted|forbidden),
    (must|need to|has to|have to) be (verified|approved|enabled|allowlisted|whitelisted|granted),
    (accept|agree to|signed|accepted) (the|its|our|) … (license|licence|terms|agreement|conditions), (is|are) gated,
    gated (model|repo|repository), (not|isnt|arent) (entitled|eligible|authorised|authorized|permitted),
    (lack|lacks|lacking|without|missing|need) (the|) (required|necessary|needed|sufficient|) (permission|permissions|privilege|privileges|scope|scopes|role|rights|access),
    (ask|contact) (your|an|the|a) (admin|administrator|owner|workspace admin|organization) (to|for),
    (not|havent|hasnt|has not|have not) (been|) granted, (not|isnt) (available|enabled) for your (account|organization|workspace|region|project|user|team),
    account … (is|has been|was) (deactivated|suspended|disabled|banned|locked|restricted|closed|terminated),
    (do|does|did) not have (the|) (right|rights|access|permission|permissions|privilege|privileges),
    no (permission|access|rights|privileges) (to|for|on), forbidden,
    access (is|has been|) (denied|blocked|restricted|disabled|terminated|revoked),
    (does not|doesnt|dont|do not|no longer) have (permission|authorization|access|the required permissions|the required role|the role|permissions|the necessary permissions|the right),
    (not|isnt|arent) (allowed|permitted|authorized|eligible|entitled) (to|for|in|by), operation not allowed,
    insufficient (permission|permissions|privileges|scope|scopes), permission error, resource not accessible, scope requirement,
    (account|organization|user|workspace|project|team|app) (is|has been|was|) (suspended|disabled|deactivated|on hold|locked|banned|blocked|terminated|restricted|closed),
    (belongs to|in) a disabled organization, has (disabled|not been used in project), blocked by the user, only available for,
    can only be used (from|by|with|in|within), requires approval, have access to it,
    (request was|access was|traffic was|connection was|denied) (blocked|access), (different|higher) access level, must be a member,
    not on the (allow|allowed|access) list, (not|isnt) (whitelisted|allowlisted),
    no (tiene|tienes|tengo) (permiso|permisos|acceso|autorización),
    (pas|zugriff|accès|acceso|acesso|доступ|dostęp|přístup|toegang|åtkomst|adgang|tilgang|akses|erişim|truy cập|hozzáférés|accesul) (la permission|les droits|autorisé|verweigert|refusé|interdit|denegado|negado|запрещен|запрещён|ограничен|zabroniony|odepřen|zakázán|geweigerd|verboden|nekad|nekades|nægtet|nektet|ditolak|reddedildi|engellendi|bị từ chối|megtagadva|interzis),
    доступ … (запрещен|запрещён),
    (permisos|permissões|permissions|permessi|privilegios|uprawnienia) (insuficientes|insuffisantes|insufficienti|niewystarczające),
    (недостаточно|niewystarczające|insuficientes|insuffisants|yetersiz|insufficienti|unzureichende|fehlende|недостатньо) (прав|uprawnienia|permisos|permissões|droits|privilegios|yetki|permessi|berechtigungen|rechte),
    (アクセス権|権限|권한|禁止访问|拒绝访问|权限|无权)
  unless extra inputs, requests, temporarily
  eg this feature requires an enterprise license
`,
)
