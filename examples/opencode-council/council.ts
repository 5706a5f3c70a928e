// A council as an opencode tool: several models review the same thing at once, and one of them writes the summary.
//
// Put this file into .opencode/plugin/ of your project, run `npm install mulligan` in .opencode/, and name your
// models in opencode.json; a model may be named twice. All other settings are optional:
//
//   "plugin": [["./.opencode/plugin/council.ts", {
//     "models": ["anthropic/claude-opus-4-6", "openai/gpt-5.2", "openai/gpt-5.2"],
//     "quorum": 2, "graceMs": 20000, "budgetMs": 270000, "hardCapMs": 420000,
//     "aggregator": "anthropic/claude-opus-4-6"
//   }]]
//
// Or set COUNCIL_MODELS="anthropic/claude-opus-4-6,openai/gpt-5.2".
export { councilPlugin as Council } from 'mulligan/opencode'
