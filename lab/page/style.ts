/** The page's style; no font, image or stylesheet is loaded from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --ink: #16202c; --soft: #5b6878; --line: #dde2e8;
  --fine: #1a7f4b; --struck: #b3261e; --odd: #8a5a00; --open: #2458c5; --key: #2458c5; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f141a; --card: #171e26; --ink: #e6ebf1; --soft: #9aa8b8;
  --line: #2a3440; --fine: #5fd39a; --struck: #ff8a80; --odd: #f0c060; --open: #8ab4ff; --key: #8ab4ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 64px; }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: baseline; justify-content: space-between; }
h1 { font-size: 22px; margin: 0; }
h2 { font-size: 13px; margin: 0 0 6px; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; }
code, pre, dl, .line, .model { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px; }
.bases { color: var(--soft); margin: 0; }
form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 20px 0; padding: 12px; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
select, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 7px;
  padding: 6px 12px; min-height: 36px; }
select { min-width: 0; max-width: 100%; flex: 1 1 220px; }
button { cursor: pointer; }
button:hover { border-color: var(--key); }
button.main { background: var(--key); border-color: var(--key); color: var(--card); }
:focus-visible { outline: 2px solid var(--key); outline-offset: 2px; }
#state { flex-basis: 100%; margin: 0; color: var(--soft); min-height: 1.5em; overflow-wrap: anywhere; }
details { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--soft); border-radius: 8px; margin: 0 0 6px; }
details.fine { border-left-color: var(--fine); } details.struck { border-left-color: var(--struck); }
details.odd { border-left-color: var(--odd); } details.open { border-left-color: var(--open); }
summary { display: grid; grid-template-columns: 44px 76px 220px minmax(0, 1fr) 230px 84px; gap: 12px; padding: 9px 12px;
  cursor: pointer; align-items: baseline; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary span, summary time { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.number, time, .took { color: var(--soft); font-variant-numeric: tabular-nums; }
.took { text-align: right; }
i { font-style: normal; color: var(--soft); }
.struck em { font-style: normal; font-weight: 600; color: var(--struck); } .fine .outcome { color: var(--fine); }
.both { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 20px; padding: 14px 12px; border-top: 1px solid var(--line); }
.line { margin: 0 0 8px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 12px; margin: 0 0 10px; color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 0; padding: 10px; max-height: 420px; overflow: auto; background: var(--ground); border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.empty { padding: 40px; text-align: center; color: var(--soft); border: 1px dashed var(--line); border-radius: 10px; }
@media (max-width: 760px) {
  main { padding: 16px 12px 48px; }
  summary { grid-template-columns: 26px minmax(0, 1fr) auto; gap: 2px 10px; }
  summary time { display: none; } .asked { grid-column: 2; } .took { grid-column: 3; grid-row: 1; }
  .model { grid-column: 2 / -1; } .outcome { grid-column: 2 / -1; }
  .both { grid-template-columns: minmax(0, 1fr); } dl { grid-template-columns: minmax(0, 1fr); } dd { margin: 0 0 4px; color: var(--ink); }
}
`
