import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

/** One error of the system in German, French, Spanish, Italian, Portuguese, Russian, Japanese, Chinese, Korean, Polish, Dutch. */
const SAID: Record<string, readonly string[]> = {
  'permanent/disk_full': [
    'Auf dem Gerät ist kein Speicherplatz mehr verfügbar',
    'Aucun espace disponible sur le périphérique',
    'No queda espacio en el dispositivo',
    'Spazio esaurito sul dispositivo',
    'Não há espaço disponível no dispositivo',
    'На устройстве не осталось свободного места',
    'デバイスに空き領域がありません',
    '设备上没有空间',
    '장치에 남은 공간이 없음',
    'Brak miejsca na urządzeniu',
    'Geen ruimte meer over op apparaat',
    'Der zugewiesene Plattenplatz (Quota) ist überschritten',
    "Débordement du quota d'espace disque",
    'Se ha excedido la cuota de disco',
    'Превышена дисковая квота',
    '超出磁盘限额',
  ],
  'permanent/permission': [
    'Keine Berechtigung',
    'Permission non accordée',
    'Permiso denegado',
    'Permesso negato',
    'Permissão negada',
    'Отказано в доступе',
    '許可がありません',
    '权限不够',
    '허가 거부',
    'Brak dostępu',
    'Toegang geweigerd',
    'Das Dateisystem ist nur lesbar',
    'Système de fichiers accessible en lecture seulement',
    'Sistema de ficheros de sólo lectura',
    'File system in sola lettura',
    '只读文件系统',
    '読み込み専用ファイルシステムです',
  ],
  'permanent/not_found': [
    'Datei oder Verzeichnis nicht gefunden',
    'Aucun fichier ou dossier de ce type',
    'No existe el fichero o el directorio',
    'File o directory non esistente',
    'Arquivo ou diretório inexistente',
    'Нет такого файла или каталога',
    'そのようなファイルやディレクトリはありません',
    '没有那个文件或目录',
    '그런 파일이나 디렉터리가 없습니다',
    'Nie ma takiego pliku ani katalogu',
    'Bestand of map bestaat niet',
  ],
  'permanent/binary_not_found': [
    'Kommando nicht gefunden.',
    'commande introuvable',
    'orden no encontrada',
    'comando non trovato',
    'comando não encontrado',
    'команда не найдена',
    'コマンドが見つかりません',
    '未找到命令',
    '명령어를 찾을 수 없음',
    'nie znaleziono polecenia',
    'opdracht niet gevonden',
  ],
  'transient/network': [
    'Verbindungsaufbau abgelehnt',
    'Connexion refusée',
    'Conexión rehusada',
    'Connessione rifiutata',
    'Conexão recusada',
    'В соединении отказано',
    '接続を拒否されました',
    '拒绝连接',
    '연결이 거부됨',
    'Połączenie odrzucone',
    'Verbinding is geweigerd',
    'Die Verbindung wurde vom Kommunikationspartner zurückgesetzt',
    'Connexion ré-initialisée par le correspondant',
    'Conexión reinicializada por la máquina remota',
    'Connessione interrotta dal corrispondente',
    'Соединение разорвано другой стороной',
    '连接被对方重设',
    'Es konnte keine Verbindung hergestellt werden, da der Zielcomputer die Verbindung verweigerte',
    'No se puede establecer una conexión ya que el equipo de destino denegó expresamente dicha conexión',
    '由于目标计算机积极拒绝，无法连接',
    'Se ha forzado la interrupción de una conexión existente por el host remoto',
    '远程主机强迫关闭了一个现有的连接',
    '接続が相手からリセットされました',
  ],
  'timeout/timeout': [
    'Die Wartezeit für die Verbindung ist abgelaufen',
    "Connexion terminée par expiration du délai d'attente",
    'Expiró el tiempo de conexión',
    'Connessione scaduta',
    'Tempo esgotado para conexão',
    'Время ожидания соединения истекло',
    '接続がタイムアウトしました',
    '连接超时',
    '연결 시간 초과',
    'Upłynął limit czasu połączenia',
    // What Windows says for 10060.
    'Une tentative de connexion a échoué car le parti connecté n’a pas répondu convenablement au-delà d’une certaine durée',
    'Ein Verbindungsversuch ist fehlgeschlagen, da die Gegenstelle nach einer bestimmten Zeitspanne nicht ordnungsgemäß reagiert hat, oder die hergestellte Verbindung war fehlerhaft',
    '由于连接方在一段时间后没有正确答复或连接的主机没有反应，连接尝试失败',
    'Connectie is verlopen',
  ],
  'transient/dns': [
    'Der Name oder der Dienst ist nicht bekannt',
    'Échec temporaire dans la résolution du nom',
    'Nombre o servicio desconocido',
    'Nome o servizio sconosciuto',
    'Nome ou serviço desconhecido',
    'Временный сбой в разрешении имен',
    '名前解決に一時的に失敗しました',
    '未知的名称或服务',
    '이름 혹은 서비스를 알 수 없습니다',
    'Nieznana nazwa lub usługa',
    'Naam of dienst is niet bekend',
  ],
  'unknown/out_of_memory': [
    'Nicht genügend Hauptspeicher verfügbar',
    'Ne peut allouer de la mémoire',
    'No se pudo asignar memoria',
    'Impossibile allocare memoria',
    'Não foi possível alocar memória',
    'Невозможно выделить память',
    'メモリを確保できません',
    '无法分配内存',
    '메모리를 할당할 수 없습니다',
    'Nie można przydzielić pamięci',
    'Kan geen geheugen toewijzen',
  ],
}

const ALIKE: Record<string, string> = { connect_timeout: 'timeout', forbidden: 'permission' }

describe.each(Object.entries(SAID))('%s of the operating system', (expected, sentences) => {
  it.each(sentences)('is recognised in its language: %s', sentence => {
    const ended = { exitCode: 1, signal: null, stdout: '', stderr: `some-tool: /srv/x: ${sentence}\n` }
    const failure = classify(ended)
    // Both kinds require an admin to act.
    const kind = ALIKE[failure?.kind ?? ''] ?? failure?.kind
    expect(`${failure?.class}/${kind}`).toBe(expected)
    // The same words in an answer at exit code 0 are an answer.
    expect(
      classify({
        ...ended,
        exitCode: 0,
        stdout: `2026: ${sentence}, according to the log of may.\n`,
        stderr: '',
      }),
    ).toBeNull()
  })
})
