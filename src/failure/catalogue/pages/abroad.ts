import { page } from '../page.ts'

/** How services word their refusals in other languages. */
export default page(
  'abroad',
  `
allowance: usage_limit specific · an allowance per day, month or plan is used up
  says (raggiunto|superato|esaurito) (il|la|il tuo|la tua) (limite|quota), limite (giornaliero|mensile) … (raggiunto|superato),
    (atingiu|excedeu|esgotou) (o|a|seu|sua|o seu|a sua) (limite|cota), (daglimiet|maandlimiet|limiet) (is|) (bereikt|overschreden),
    (tageslimit|monatslimit|nutzungslimit|tageskontingent|monatskontingent|limit|kontingent) (ist|wurde|) (erreicht|aufgebraucht|überschritten|erschöpft),
    (atteint|dépassé|épuisé|alcanzado|superado|excedido|agotado) (votre|la|le|vos|el|su|tu) (limite|quota|quotas|límite|cuota),
    (osiągnięto|przekroczono) (limit|dzienny limit|miesięczny limit|limit zapytań); unless disk, festplatte, disco, disque, zeit
  eg Ihr Tageslimit ist erreicht.
unavailable: overloaded typed · a service is down or overloaded right now
  says temporalmente (no disponible|fuera de servicio), temporaneamente non disponibile, tijdelijk niet beschikbaar,
    (vorübergehend|momentan|derzeit|zeitweise) nicht (verfügbar|erreichbar),
    (temporairement|momentanément|actuellement|temporariamente|временно|一時的に|일시적으로|tymczasowo) (indisponible|inaccessible|indisponível|недоступен|недоступна|недоступно|利用|使用|ご利用|사용|이용|niedostępny|niedostępna),
    (sunucu|servidor|serveur|сервер|serwer|servern|serveren|máy chủ|hệ thống|peladen) (está|esta|est|jest|đang|şu anda|сейчас|временно|er|är|momentan|temporairement|temporalmente|sedang|) (meşgul|ocupado|saturado|occupé|saturé|перегружен|занят|zajęty|przeciążony|bận|quá tải|sibuk|upptagen|optaget),
    no está disponible (temporalmente|en este momento), (暂时不可用|暂不可用)
  eg Der Dienst ist vorübergehend nicht verfügbar
model: model_not_found typed · there is no model with this name
  says modelo no (encontrado|existe), modello non trovato, (modell|model) (wurde|) nicht gefunden, modèle (introuvable|inconnu),
    (modelo|модель) (não|не) (encontrado|найдена)
  eg Modell nicht gefunden
key: auth typed · the key is refused
  says (phiên|sesja|сессия|сеанс|sesión|sessão|sitzung|oturum|oturumun|oturumunuz|oturumunuzun|oturumunun|sessione|relace|sesi|munkamenet) … (hết hạn|wygasła|истекла|истёк|expirada|expirado|expirou|expiró|caducada|caducado|abgelaufen|süresi doldu|sona erdi|scaduta|vypršela|berakhir|kedaluwarsa|lejárt),
    (đăng nhập|zaloguj|войдите|přihlaste|melden|logg|logga|giriş) (lại|się ponownie|снова|заново|se znovu|sie sich erneut|inn igjen|in igen|yapın),
    chiave (api|) non valida, (잘못된|유효하지 않은) api 키, api 키가 (유효|올바르|잘못)
  eg 잘못된 API 키입니다
by_user: aborted typed · a person stopped it
  says (benutzer|nutzer) … abgebrochen, (cancelado|cancelada|interrumpido|interrumpida) por el usuario,
    (annullato|annullata|interrotto|interrotta) (dall'utente|utente), geannuleerd door de gebruiker,
    (annulée|annulé|interrompue|interrompu|cancelado|cancelada|anulowane) (par|pelo|przez) (l'utilisateur|utilisateur|usuário|utilizador|użytkownika),
    (отменено|отменен|отменена|прервано|ユーザーによって|ユーザーが|사용자가) (пользователем|キャンセル|中断|中止|취소|중단), (用户已取消|用户取消|用户中止|已被用户|사용자에 의해)
  eg Benutzer hat den Vorgang abgebrochen
`,
)
