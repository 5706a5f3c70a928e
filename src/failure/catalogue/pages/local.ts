import { page } from '../page.ts'

/**
 * The machine that the program runs on: settings, versions, disk, memory, locks, crashes, also in the languages of
 * the operating system.
 */
export default page(
  'local',
  `
usage: config specific · the program was called with an unknown option or argument
  says (option|flag|switch|argument) … (requires|needs|expects|expected) (an|a|one) (argument|value|parameter),
    (unknown|unrecognized|unexpected|invalid|bad) (option|flag|arguments|command line|switch|subcommand), no such option,
    (unknown|unrecognized|unexpected|invalid|unsupported) (key|keys|setting|property|section|table) … (in|yaml|toml|config|configuration|settings),
    missing (required|mandatory) (option|flag|options|flags|switch), (option|flag) … (is|are) (required|missing|mandatory),
    error the following (required|) arguments
  eg error: unknown option '--no-such-flag'
settings: config general · a setting is missing or wrong; it fails the same way until it is changed
  says unknown (encoder|decoder|codec|muxer|filter|plugin|preset|profile|scheme),
    no (active|default|current) … (selected|chosen|specified|set),
    (in|with|for) (a|) non interactive (mode|terminal|environment|session|shell), (assign|add|put) it to … (environment variable|env var),
    (does not|doesnt|do not|dont) have (a|an|any|the) … (configured|defined|set up|installed),
    (requires|require|needs|need) (an|a|the) (composite|) (index|extension|plugin|migration),
    you (must|need to|have to|should) (first|) (decrease|enable|activate|turn on|install|configure|choose|select|initialize|initialise|register|accept),
    (failed|unable) to ensure … enabled, requires (a quota project|user approval), (which is|llm) not set,
    (corrupt|corrupted) (loose reference|reference|index file|cache|state file|lock file|configuration),
    (no|not|missing|without) (api|) (endpoint|base url|url|host|provider|backend|key|region|project|database|credentials|model) (is|was|) (configured|set|specified|defined|given),
    not (been|) (booted|compiled|built|linked|packaged|shipped) with, only if cached, (cache|offline) mode,
    (config|configuration|settings|yaml|toml) … (invalid|malformed|could not be read|cannot be read|cannot be parsed|parse error|syntax error),
    not found in … (configuration|config|settings), (invalid|bad|missing|broken) (configuration|config|setting|settings|config file),
    (configuration|config|config file|settings) (is|was|at|file|error|validation|) … (invalid|error|missing|failed|not valid|not found),
    (missing|set|requires|needs|require|required|undefined) (the|setting the|to set the|a|an|) … (environment variable|env var|environment variables),
    environment variable … (not set|is not set|missing|required|is required), (workspace|directory|folder) (is|) not trusted,
    not (inside a trusted directory|configured|enabled), no (providers configured|rule to make target), require user approval,
    routing requirements, throughput isnt supported, inference profile, cluster support disabled, read only (database|transaction|mode),
    readonly database, is sealed, (unable|failed) to get … (env|environment) variable,
    (parse|parsing|load|loading|read|reading) (the|your|) (config|configuration|settings|manifest),
    (invalid|malformed|broken|corrupt|parse|parsing) (package|tsconfig|composer|lockfile|manifest|settings|config|pyproject|cargo) (json|yaml|yml|toml),
    (invalid|bad|malformed) (dsn|connection string|scheme|base url|hostname|port|proxy), expected connection string,
    failed to launch the browser, redirect count exceeded, too many (redirects|follow up requests|redirections),
    working directory does not exist, dubious ownership,
    (project|endpoint|database|instance|cluster|function|integration|workflow) (is|has been|was|) (paused|disabled|archived)
  eg Error: Workspace not trusted. Please run the tool in /srv/app first to review and accept the trust dialog.
not_a_git_repo: not_a_git_repo specific · the working directory is not a git repository
  says not a git repository, not in a git (repository|directory), must be run inside a git
  eg fatal: not a git repository (or any of the parent directories): .git
version: version_mismatch typed · client and server do not speak the same version
  says no (matches for kind|matching manifest for),
    (no|not|doesnt have|does not have|without) … (wheel|wheels|binary|binaries|build|builds|distribution|release|image|manifest) for (the|this|your) (current|) (platform|architecture|system|os),
    (not supported|unsupported|not available) (on|for) (this|your|the|current|) (platform|architecture|operating system|os|linux|darwin|macos|windows|win32|arm64|aarch64|amd64|x64),
    unsupported (platform|architecture|operating system|version|versions|release|engine), (deprecated|outdated|obsolete|old) (version|release) of,
    (engine|package|module|plugin|extension|library|binary|build) … (incompatible|not compatible) with,
    requires a different (python|node|java|version|ruby|php), expected version … got, module … has no attribute,
    (python|node|java|ruby|php|go|rust) # … not in, not (satisfied|satisfy|satisfying) … version,
    version … does not (satisfy|match|meet), (a|the) newer (client|cli|app|sdk|runtime|node|python|driver|firmware),
    only support (node|python|java|ruby|php|go|rust|version|versions) … #, (minimum|min|minimal) (supported|required|) … version,
    (below|under|lower than|older than|less than) (the|) (minimum|required|supported|min), none of which are compatible, exec format error,
    (not|isnt|arent|in) (compatible|incompatible) with … version, incompatible with … (version|client|server|release),
    (requires|require|required|needs|need) (node|nodejs|node js|python|java|ruby|php|go|rust|rustc|npm|glibc|git|docker|cuda|macos|windows|android|ios),
    (node|nodejs|node js|python|java|npm|rustc|go) version … (is required|required|needed|unsupported|not supported|too old),
    (client|api|server|protocol|cli|app|sdk|agent|driver|schema) version … (required|too new|too old|unsupported|not supported|mismatch|does not match|outdated|deprecated|obsolete),
    version … (too new|is too low|too low|is obsolete|is deprecated|is outdated|is not compatible|not supported|unsupported|is too old|too old|no longer supported),
    is (too new|too old) … version, maximum supported … version, (install|download|get) (the|a|) (new|newer|latest) … version,
    (upgrade|update) to (version|v|at least|the latest|a newer|a supported),
    (please|must|need to|have to) (upgrade|update) (your|the|to|cli|app|client),
    (client|app|cli|extension|plugin|agent) (is|) (too old|out of date|outdated|no longer supported|deprecated),
    (requires|require|needs) … version # (or|and) (later|newer|above|higher|up), api version … or later,
    # or (later|newer|higher|above) (is|) (required|needed),
    (unsupported|incompatible|wrong|mismatched) (protocol|client|api|cli|node|engine) version,
    requires (a newer|at least) version, version (mismatch|glibc), digital envelope routines,
    (class file|compiled by a more recent) version, needs an update, newer version … (is required|required|needed),
    requires … # (or|and) (newer|later|above|higher|up), (needs|need|requires|require) (at least|a newer|version) … #,
    (too old|outdated|out of date) … (upgrade|update|install), is not a git command, method not found,
    (版本过低|版本过旧|请升级|バージョンが古|버전이 낮)
  unless docker login, upgrade to (pro|plus|premium|max|a paid|paid), optimistic
  eg Server's protocol version is not supported: 2019-01-01
tool_pattern: invalid_tool_pattern specific · a rule that names the tools an agent may use cannot be read
  says (tool|permission) (pattern|rule|specifier) … (is invalid|is not valid|is malformed|mismatched parentheses|could not be parsed)
  eg Error: Invalid tool pattern "Bash(git:*": mismatched parentheses
dangerous: dangerous_not_allowed specific · a flag that skips all permission prompts is refused here: as root, by a policy, or until a variable allows it
  code bypass_root
  or says (dangerously skip permissions|dangerously allow all|bypass permissions|bypass permissions mode|yolo mode|yolo) … (cannot be used|can not be used|is not allowed|not allowed|is disabled|disabled|is not permitted|refused|is not available),
    (cannot|refusing to|not allowed to) … (dangerously|bypass permissions|skip permissions|yolo), dangerous … not allowed
  eg --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons
unreadable_version: invalid_version specific · the program's version output is not a version, so it cannot be checked
  code EINVALIDVERSION
  or says invalid (version|semver|version string|semantic version),
    (could not|cannot|failed to|unable to) (parse|read|determine|detect) (the|cli|its|) … version,
    not a valid (semantic|semver|) version; unless protocol version, api version, ssl, tls, http version
  eg Could not parse the version of claude: "command output was empty"
permission: permission general · the operating system refuses
  says permission denied, eacces, eperm, read only file system, erofs; unless permission denied error
  or says operazione non permessa, file system in sola lettura, operation (ist|) nicht (erlaubt|zulässig|gestattet),
    (vorgang|dateisystem|permission|opération|operación|operação|отказано|операция|только|alleen) (nicht|ist|non|no|não|в|не|для|lezen) (zulässig|nur lesbar|schreibgeschützt|accordée|permise|autorisée|permitida|доступе|позволена|разрешена|чтения|bestandssysteem),
    (permission|permiso|permesso|accesso|permissão|読み込み|読み取り|brak|odmowa|operacja|toegang) (refusée|denegado|negato|negada|recusada|専用ファイルシステム|dostępu|uprawnień|niedozwolona|geweigerd),
    système de fichiers … lecture (seule|seulement), sistema de (ficheros|archivos) de (sólo|solo) lectura,
    sistema de (ficheiros|arquivos) (só de|somente) leitura, system plików … do odczytu, actie is niet toegestaan,
    (許可がありません|許可されていない操作|アクセスが拒否|不允许的操作|只读文件系统|權限不足|拒絕存取|不允許的操作|唯讀檔案系統|허가 거부|허가가 거부|액세스가 거부|명령을 허용하지 않|읽기전용 파일)
  eg touch: 'x': Permission non accordée
unopened: permission specific · the system refuses to open a file or a lock; the rest of the message only says what for
  says (is locked|lock|open|opened|create|write|read|mkdir|access|rename|remove|unlink) … (permission denied|eacces|operation not permitted|read only file system)
  unless api
  eg open: Operation not permitted
disk_full: disk_full specific · no disk space; a file may be half-written
  says insufficient (disk|storage|) space, (exceeded|reached|over) (the|your|) storage (space|) (limit|quota), no space left,
    flood stage, (disk usage|watermark) exceeded, enospc, disk (is|) full, (disk|storage) quota, edquot, not enough disk space,
    storage full, (database|mailbox|inbox|maildir) (is|space|) (full|exceeded); unless inotify
  or says (aucun espace|plus d'espace) (disponible|libre|disque), disque plein, limit dyskowy, (onvoldoende|geen) (ruimte|schijfruimte),
    schijfquotum, (kein|не) (speicherplatz|осталось) (mehr||свободного) (verfügbar|frei|места),
    (nicht|espace|no|cuota|não|quota|cota) (genügend|disque|queda|de|há) (speicherplatz|platz|insuffisant|espacio|disco|espaço),
    (festplatte|datenträger|disk|недостаточно|brak) (ist||свободного|wolnego) (voll|места|miejsca), plattenplatz … überschritten,
    (quota|espacio) (d'espace|insuficiente) (disque|en), (sin|falta de) espacio en (el|) (disco|dispositivo),
    (spazio|disco|дисковая|空き容量が) (esaurito|insufficiente|pieno|квота|不足|ありません), quota disco,
    (sem|falta de) espaço (no|em) (disco|dispositivo), нет (свободного|) места на,
    (空き領域がありません|ディスクがいっぱい|ディスク使用量制限|设备上没有空间|磁盘已满|空间不足|磁盘限额|裝置上已無|設備上沒有空間|磁碟空間不足|남은 공간이 없|디스크 공간이 부족|디스크 할당량)
  eg Error: ENOSPC: no space left on device, write
out_of_memory: out_of_memory specific · memory ran out; a fresh run may not survive either
  says (out of|cannot allocate|insufficient) memory, oom kill, oomkilled, memory allocation … failed, memory error,
    java heap space, heap limit, allowed memory size, array buffer allocation failed; unless cuda, torch, gpu, vram
  or says no se (pudo|puede) asignar memoria, memoria (insuficiente|agotada|esaurita|insufficiente), impossibile allocare (la|) memoria,
    (nicht genügend|zu wenig|kein) (hauptspeicher|arbeitsspeicher|speicher) (verfügbar|frei|mehr|), speicher kann nicht angefordert werden,
    (allouer|allocation) de (la|) mémoire,
    (mémoire|alocar|atribuir|недостаточно|przydzielić|zaalokować|brak|onvoldoende) (insuffisante|memória|памяти|pamięci|geheugen),
    memória insuficiente, (невозможно|не удалось|geen) (выделить|geheugen) (память|toewijzen), (メモリ|메모리) (ー||가) (不足|부족),
    (メモリを確保できません|メモリが不足|无法分配内存|内存不足|無法配置記憶體|記憶體不足|메모리를 할당할 수 없); unless cuda, gpu, vram, 显存
  eg fork: Nicht genügend Hauptspeicher verfügbar
machine_too_small: out_of_memory specific permanent · the model does not fit this machine; the same load fails again
  says (requires more system|enough available) memory, insufficient system (memory|resources), (cuda malloc|cudamalloc) failed,
    not enough (vram|gpu memory|system memory|available memory), (unable|failed) to allocate, requires … (gb|gib) of memory,
    allocation on device, (torch|gpu|cuda|vram|metal) … out of memory
  eg {"error":"model requires more system memory (5.3 GiB) than is available (3.3 GiB)"}
absent: not_found general · a named file or folder does not exist
  says no existe el (fichero|archivo), (archivo|fichero) no encontrado, file (o directory non esistente|non trovato),
    nessun file o directory, nie (ma takiego|znaleziono) pliku, (datei|bestand) (oder|of) (verzeichnis|map) (nicht|bestaat) (gefunden|niet),
    datei (wurde|) nicht gefunden, aucun fichier ou (dossier|répertoire), fichier introuvable,
    (ficheiro|arquivo) ou (pasta|diretório|directoria) (inexistente|não encontrado),
    (ficheiro|arquivo|нет|файл|bestand) (não|такого|не|niet) (encontrado|файла|найден|gevonden),
    (そのようなファイルやディレクトリ|ファイルが見つかりません|没有那个文件或目录|找不到文件|文件不存在|沒有此一檔案|沒有那個檔案|그런 파일이나 디렉터리|파일을 찾을 수 없)
  eg ls: Zugriff auf 'x' nicht möglich: Datei oder Verzeichnis nicht gefunden
binary: binary_not_found specific · the shell does not find the program
  says (orden|comando) no (encontrada|encontrado), comando non trovato, nie znaleziono polecenia, opdracht niet gevonden,
    (befehl|kommando) (wurde|) nicht gefunden, commande (introuvable|inconnue|non trouvée), no se encontró la orden,
    (comando|команда) (não|не) (encontrado|найдена), (コマンドが見つかりません|未找到命令|找不到命令|找不到指令|명령어를 찾을 수 없|명령을 찾을 수 없)
  eg bash: claude: Kommando nicht gefunden.
refused: network typed none · nothing listens there now; nothing was sent
  says (verbindung|verbindungsaufbau) (wurde|) (abgelehnt|verweigert|verweigerte),
    (conexión|connessione|conexão|ligação|соединение|połączenie|odmowa) (rehusada|rechazada|denegada|rifiutata|recusada|отклонено|odrzucone|połączenia),
    (в соединении отказано|denegó expresamente|expressément refusée), verbinding (is|) geweigerd, (接続を拒否|接続が拒否|拒绝连接|积极拒绝|拒絕連線|連線被拒|연결이 거부|연결을 거부)
  eg connect to host example.com port 22: Verbindungsaufbau abgelehnt
reset: network typed · the connection broke
  says (la red es inaccesible|forzado la interrupción), rete non raggiungibile, netwerk is onbereikbaar,
    verbindung wurde … (zurückgesetzt|getrennt|unterbrochen|beendet),
    (netzwerk|keine) (ist|route) (nicht|zum) (erreichbar|zielrechner|host),
    (connexion|réseau|conexión|tubería|connessione|conexão|ligação|сеть|连接已|연결이|połączenie) (ré initialisée|réinitialisée|interrompue|perdue|n'est pas accessible|inaccessible|reinicializada|restablecida|perdida|cerrada|rota|interrotta|reimpostata|persa|fechada|redefinida|interrompida|foi reinicializada|недоступна|断开|重置|끊|재설정|zerwane|zresetowane|utracone),
    aucun chemin d'accès pour atteindre, (rede|verbinding) (está||is) (inacessível|inalcançável|weggevallen|verbroken|verloren),
    sieć jest niedostępna, (接続が相手から|強制的に切断|强迫关闭|接続がリセット|接続が切断|連線被對方重設|상대편에 의해 끊)
  eg read: Die Verbindung wurde vom Kommunikationspartner zurückgesetzt
timeout: timeout typed · no answer came in time
  says tempo (scaduto|di attesa scaduto), tempo (de espera|limite|) (esgotado|expirado|excedido), expirou o tempo, connectie is verlopen,
    wartezeit für die verbindung ist abgelaufen, zeitüberschreitung, (expiration|expiró|timeout) (du|el|della) (délai|tiempo|connessione),
    (connessione|превышено|upłynął|przekroczono|przekroczony) (scaduta|время|limit czasu|czas), (連線逾時|시간이 초과|応答しなかった|没有正确答复|没有反应),
    (na pas répondu|no respondió|nicht ordnungsgemäß reagiert|risposta non corretta) … (durée|tiempo|verbindung|connessione|connexion|conexión|tempo|hôte|host)
  eg connect: Die Wartezeit für die Verbindung ist abgelaufen
dns: dns typed none · the host name could not be resolved right now; nothing was sent
  says nom ou service inconnu, nombre o servicio desconocido, no se pudo resolver (el|) (host|nombre), nome o servizio sconosciuto,
    risoluzione del nome, naam of dienst is niet bekend, naamsherleiding, name oder der dienst ist nicht bekannt,
    (fehler|nome|nieznana) (bei|ou|nazwa) (der|serviço|lub) (namensauflösung|desconhecido|usługa),
    (host|rechner|rechnername) … nicht (aufgelöst|gefunden) werden, (résolution|resolución|resolução) (du|de|del) (nom|nombre|nome),
    имя или служба не известны, (разрешении|rozwiązywania) (имен|nazw),
    (名前またはサービスが不明|名前解決に|未知的名称或服务|域名解析|无法解析主机|未知的名稱或服務|이름 혹은 서비스를 알 수 없|이름 풀이 실패|호스트를 찾을 수 없)
  eg ssh: Could not resolve: Der Name oder der Dienst ist nicht bekannt
descriptors: io typed transient · this machine has too many open files; that passes when others are closed
  says trop de fichiers ouverts, troppi file aperti, (demasiados|muitos) (ficheiros|arquivos) abertos, te veel open bestanden,
    (zu|слишком) (viele|много) (offene|открытых) (dateien|файлов),
    (demasiados|za dużo|zbyt wiele) (ficheros|archivos|otwartych) (abiertos|plików), (開いているファイルが多すぎ|打开的文件过多|打开文件过多|開啟的檔案過多|열린 파일이 너무 많)
  eg open: Zu viele offene Dateien
locked: lock specific none · another process holds it right now
  says (session|resource|file|device|database|table|repository|workspace|conversation|thread|agent|volume|index|queue|branch) … is (currently|) (busy|locked|in use by another),
    (browser|profile|user data directory|user data dir) (is|) (already|) (in use|running for), (has|have) already locked,
    acquiring the state lock, unable to (lock|obtain exclusive access),
    (unable to|failed to|could not|cannot|couldnt|cant) (acquire|obtain|get|take|) (a|an|the|) (exclusive|shared|write|read|state|) lock,
    (resource|file|session|device|database|repository|table) (is|) (busy|locked|in use),
    lock (wait timeout|timeout|not available|held|is held), index lock … exists,
    another (claude code|process|instance|session|operation) … (is|has) (running|refreshing|using|locked|already),
    (holds|holding|has|owns) (the|a|an exclusive|an|) lock, (waiting|waited) (for|to) (the|a|) lock,
    (locked|used|held) by (another|somebody|someone|process|user|pid|other|#), is busy running a script, currently processing another, agent busy,
    resource temporarily unavailable
  unless lock … (not found|access denied|forbidden|unauthorized|no such|expired|invalid), permission denied, connection is busy
    executing, resource temporarily unavailable os error
  eg SQLiteError: database is locked
collided: conflict general none · two operations collided; repeating the whole works
  code message=conflict error=conflict
  or says verklemmung, interbloqueo,
    (migration|update|upgrade|deployment|deploy|rollback|provisioning|restore|backup|import|reindex|resize|modification|cleanup|create|delete|operation) (is|) (already|currently|still|) in progress,
    in progress state, (is|are) (currently|still|already|) being (updated|modified|deleted|created|provisioned|deployed|migrated|moved|restored|resized),
    (updated|modified|changed|deleted|edited|altered) (or deleted|or updated|) by another (transaction|user|process|session|client|request|person|writer|thread),
    (updated|modified|changed) (concurrently|simultaneously|meanwhile|in the meantime),
    (update|edit|save|commit|write) conflict, object has been modified, optimistic (lock|locking|concurrency), stale object,
    affected an unexpected number of rows, apply your changes to the latest,
    concurrent (write|writes|edit|edits|change|changes|modification|modifications|transaction|transactions|update|request|membership change),
    (row|record|document|entity|item|resource|object) … (was|has been) (changed|updated|modified) by (another|someone|somebody),
    deadlock (detected|found|victim), deadlocked, restart transaction, (retry|retryable) (txn|transaction|commit),
    transaction (retry|conflict|aborted|was aborted|has been aborted), preempted by,
    (another|other) (operation|install|upgrade|update|deployment) … in progress, could not serialize access,
    serialization failure, turn (is|) still active, still in progress; unless type conflict
  eg deadlock detected
exists: conflict general permanent · it already exists, or has changed meanwhile: read it again instead of repeating
  says (e tag|etag|revision|version) (mismatch|does not match|did not match|conflict),
    (was|has been|been|significantly|) (modified|changed|updated) (significantly|) since,
    (name|email|username|slug|id|title|domain|port|address) … (is|has) already (in use|taken|used|registered|been taken),
    conditional (request|check) failed, already has (a|an), must be unique … already,
    already (exists|exist|taken|registered|started|in use|checked out|been used|captured|paid|processed|closed|merged|completed|refunded|submitted),
    duplicate (key|entry|record|value), violates unique constraint, (merge|failed with #) (conflict|conflicts), conflict content,
    fetch first, would be overwritten, directory not empty, precondition failed, not mergeable, version must be, current version is,
    has been (modified|changed|updated) (by|since), out of date, is already a … member, stale version, name taken, terminated by other
  unless by another (transaction|user|process|session|client|request), modified … try again, type conflict
  eg EEXIST: file already exists, mkdir '/srv/x'
transaction_state: unknown specific · says only in which state a transaction is; the error that put it there came before, and may pass
  says no (active|open|current) transaction, no transaction (is|was|) (active|in progress|started|open|running|begun),
    not in (a|an active) transaction, transaction (is|was|) not (active|started|open|running|in progress|successfully started),
    transaction (within a transaction|has been rolled back due to a previous|query already complete|discarded because of previous errors),
    already (in|within|inside|has) a transaction, already a transaction (in progress|active|open|running),
    transaction (is|was|has|) already (been|) (started|begun|active|in progress|committed|rolled back|aborted),
    (rollback|commit) (transaction|savepoint|) sql statements in progress, no such savepoint,
    savepoint … (does not exist|never established|never been established), can only be used in transaction blocks,
    has no corresponding begin, mismatching number of begin and commit,
    (current|active|) transaction cannot be (committed|rolled back), transaction …… no longer usable,
    invalid transaction is rolled back, (error occurred in the current|on a closed) transaction, transaction (is|) closed,
    tx is closed, (call|called) (abort transaction|commit transaction|aborttransaction|committransaction) (twice|after),
    (rollback|roll back|commit) when (auto commit|autocommit) is (enabled|on),
    transaction … marked (as|for) (rollback only|rollbackonly|rollback), (exec|discard) without multi,
    not match any in progress transactions, commit unexpectedly resulted in rollback, when global transaction is in the
  eg {"code":"ERR_SQLITE_ERROR","errcode":1,"errstr":"SQL logic error","message":"cannot rollback - no transaction is active"}
crash_signal: crash typed · the runtime or the kernel ended the program because of a fault in it
  says segmentation fault, core dumped, bus error, illegal instruction, access violation
  eg Segmentation fault (core dumped)
crash: crash general · the program crashed; nothing says why
  says crashed, fatal error in, native stack trace, unexpectedly stopped, agent loop died, terminated (by signal|unexpectedly), exited unexpectedly,
    (server process|runtime) exited
  eg The model has crashed without additional information. (Exit code: 18446744072635812000)
panic: code_bug general · a program hit a case its author ruled out; the same input hits it again
  says panicked at, application panicked, panic, assertion failed, goroutine # running, unreachable code
  eg thread 'main' panicked at src/session.rs:412:9
killed: killed status · killed from outside, without saying by what
  says killed, died with, sigkill
  eg Killed
code: code_bug general · a bug in the code that made the call; repeating hits it again
  says (body|content|response|stream) … already (been|) (consumed|read|used), cannot (read|set) (properties|property) of,
    (cannot access|variable) … (before initialization|referenced before assignment|not associated with), is not a (function|constructor), is not (defined|iterable),
    error ts# …,
    maximum (call stack size|recursion depth), syntax error unexpected end of input, undeclared … in this function, (call to|) undefined (function|method|variable|class|constant|symbol|reference), (no class def found|class not found), mismatched types,
    circular structure, invalid string length, (undefined|null|this) is (not an object|a bug), write after end,
    assignment to constant variable, headers already sent, body has already been,
    (attribute|name|key|index|unbound local|recursion|no method|undefined function|function clause) error, object (has no attribute|reference not set),
    unexpected keyword argument, (null pointer|null reference|class cast|argument null|illegal argument) exception, nil pointer, already connected to a transport, is not json serializable
  eg Cannot read properties of undefined (reading '0')
misuse: code_bug specific none · a client used after it was closed, or where it cannot work: a bug in the calling code
  says timeout should be used inside a task, is busy executing a query, client (was closed and is not queryable|is destroyed),
    cannot use a pool after, (the client|event loop) is closed, object object … is not valid json, asyncio run cannot be called,
    used after close, (websocket|web socket) is not open
  eg Client was closed and is not queryable
`,
)
