/**
 * The mulligan.toml of the demo: three providers, their windows, schedules. Each hour uses most of
 * the hourly caps but exhausts none, so the demo stays lively.
 */
export function demoConfig(modules: string): string {
  return `# Made by "mulligan demo", and gone when it stops.
[queue]
modules = [${JSON.stringify(modules)}]
concurrency = 6

[[provider]]
id = "claude"
models = [{ id = "claude-sonnet-4-5", context_window = 200_000 }]
caps = [{ per = "hour", requests = 500 }, { per = "day", usd = 250 }]

[[provider]]
id = "codex"
models = [{ id = "gpt-5-codex", context_window = 400_000 }]
caps = [{ per = "hour", usd = 16 }]

[[provider]]
id = "gemini"
models = [{ id = "gemini-2.5-pro", context_window = 1_000_000 }]
caps = [{ per = "hour", requests = 1_100 }]
breaker = { consecutive = 4, cooldown = "45s" }

[policy]
max_retries = 4

[[workflow]]
name = "release"
description = "Reviews and translates, asks, then announces"
params = { branch = {} }

[[workflow.step]]
id = "review"
run = "review"
params = { branch = "{params.branch}", depth = "thorough" }

[[workflow.step]]
id = "translate-german"
run = "translate"
params = { page = "release notes", language = "German" }

[[workflow.step]]
id = "translate-japanese"
run = "translate"
params = { page = "release notes", language = "Japanese" }

[[workflow.step]]
id = "file"
run = "file-report"
params = { report = "release", desk = 41 }
optional = true

[[workflow.step]]
id = "approve"
ask = "Release {params.branch}?"
answer = { approved = { type = "boolean" } }
after = ["review"]

[[workflow.step]]
id = "announce"
run = "summarise"
params = { document = "the release notes" }
when = "results.approve.approved"
after = ["approve", "translate-german", "translate-japanese"]

[[schedule]]
name = "morning-digest"
capability = "summarise"
cron = "* * * * *"
params = { document = "everything that came in overnight" }
overlap = "skip"

[[schedule]]
name = "nightly-translation"
capability = "translate"
cron = "30 2 * * *"
params = { page = "changelog", language = "German" }

[[schedule]]
name = "weekly-review"
capability = "review"
cron = "@weekly"
params = { branch = "main", depth = "thorough" }
enabled = false
`
}
