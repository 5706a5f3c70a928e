import { page } from '../page.ts'

/** Things that are not there: models, programs, files, modules. */
export default page(
  'absent',
  `
model: model_not_found specific · the model or deployment does not exist, or not for this account
  says (use|try|switch to|choose|select) (model|one of the|one of these|another model|a different model|a supported model) … (instead|models|or),
    is no longer (available|supported|offered|served) …… (use|try|migrate|switch),
    (no|none) (model|models|deployment|deployments) (is|are|) (available|found|configured|matches|match|matched|loaded|selected),
    (model|models|engine|deployment) … (has been|have been|is|are|was|were|been) (sunset|retired|deprecated|discontinued|removed|shut down|decommissioned|withdrawn|turned off),
    (model|models|engine) … (not in|not part of|not among|not on|not one of) (the|your|our|) (list|available|supported|allowed),
    no (provider|providers|backend|endpoint|endpoints|channel|deployment) … (for|serves|supports|offers) (the|this|your|) (model|requested model),
    model … (not found|unknown|unavailable|unrecognized) … (did you mean|available models|use),
    (available|supported|valid|allowed) models (are|is|include),
    (model|models|deployment) … (not found|does not exist|doesnt exist|not exist|is not available|is not supported|not available|not supported|is unavailable|was not found|not recognized|is not valid),
    (no such|unknown|invalid|unsupported|unrecognized|nonexistent|is not a valid|issue with the selected) model,
    (provided|specified|requested|selected) model (identifier|id|name|) … (invalid|not found|does not exist|not exist|not supported|unavailable),
    no (endpoints found|allowed providers), try pulling it first, model … (end of life|offline), model promotion ended,
    (无可用渠道|模型不可用|不支持的模型|モデルが見つかり|モデルは存在し|모델을 찾을 수|模型不存在|未找到模型)
  unless right now, at the moment, cooldown, try again in
  eg {"error":{"message":"The model 'gpt-9' does not exist or you do not have access to it."}}
binary: binary_not_found specific · the program to run is not installed, not on PATH, or its working directory is missing
  says (command|executable file) not found, spawn …… enoent, (executable|binary|program|interpreter|cli) (was|is|) not found,
    not recognized as (an internal|the name), executable doesnt exist, could not find (chrome|chromium|browser|executable),
    (is not|isnt) installed, failed to run command, (exec|sh) … not found, failed to spawn … (not found|enoent|no such file)
  unless ripgrep, on this repository, github app
  eg bash: claude: command not found
thing: not_found general · a file, session, record or address does not exist
  says (doesnt|does not) have a resource type, no (record|records|entry|item|data) available, (no|0) rows (returned|found|in|were), multiple (or no|or 0|or zero) rows,
    contains 0 rows,
    (unable to|could not|cannot|failed to) resolve (to|the|) (a|an|) (application|app|project|user|repository|organization|resource|team|workspace|node|issue|reference|ref|id),
    there is no (deployment|project|file|resource|index|table|collection|user|queue|topic|bucket|branch|workflow|assistant|thread|agent|tool|such),
    (not|is) a directory, could not be (located|found|resolved to),
    (is|was|were|are) (missing|gone|deleted|removed) (from|on|in),
    no (matching|) … (with|by|for) (id|key|name|email|title|number|uuid|this name|the name|that name), no (matching|) … (named|called) … (found|exists|available),
    no (record|entry|file|user|project|repository|document|object|item|job|task|run|channel|message|account|resource|issue|tab|page|element|branch|commit|package|match|matches) (was|were|is|with|named|called|found|exists),
    (has been|was) (deleted|removed|archived), (nothing|none|no one) (was|were|) found, none of the … (directories|folders|files|paths) (is|are|were|was|could be|can be) (accessible|readable|writable|found|valid|usable|opened), no such,
    no (conversation|session|thread|matching script|matching distribution|results|rows) (was|were|) (found|with), not found,
    (does not|doesnt) (exist|appear to have a file), unknown (tool|session|resource|endpoint|path|revision),
    (could not|couldnt|cannot|cant|unable to|failed to) (find|be found|locate), enoent, (did|does) not match any, unexpected endpoint,
    no (devices|matches|candidates|files|hosts|targets) … found,
    (konfigurationsdatei|ressource|seite|eintrag|bestellung|kunde|benutzer|nutzer|objekt|datensatz|projekt) (wurde|) nicht gefunden,
    (nie znaleziono|nenalezen|nenalezena|nenalezeno|nebyl nalezen|bulunamadı|не найден|не найдена|не найдено|не знайдено|không tìm thấy|tidak ditemukan|hittades inte|ikke fundet|ikke funnet|niet gevonden|ei löytynyt|nem található|no se encontró|no se ha encontrado|non trovato|non trovata|non trouvé|non trouvée|não encontrado|não encontrada|δεν βρέθηκε)
  unless no results were, or there was another issue
  eg No conversation found with session ID: 00000000-0000-4000-8000-000000000000
unmatched: not_found last · a name that nothing has, if nothing else is said
  says no (project|user|account|file|record|entry|item|page|host|job|task|channel|service|table|column|function|command|package|version|image|resource|object|device|handler|route|plugin|target|element|branch) … (matches|match|matching|for|with|in), no … (named|called), (no|nothing|none) … (by|with|under|has|match|matches|matched) (that|this|the|your) (name|id|key|email|number), never existed, (has|have|) (vanished|disappeared) from
  eg no project matches acme
module: not_found specific · a dependency is not installed
  says no (module named|required module provides), cannot resolve module, import error, missing (optional|) (dependency|package|module)
  eg {"status":500,"headers":{},"body":{"error":"No module named 'yaml'"}}
`,
)
