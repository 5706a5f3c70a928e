import cli from '../cli/rules.ts'
import http from './http.ts'
import infra from './infra/index.ts'
import language from './language/index.ts'
import node from './node.ts'
import process from './process.ts'
import type { Rule } from './rule.ts'
import vendor from './vendor/index.ts'

/** Every rule. The order has no meaning: precedence.ts decides. */
export const CATALOGUE: readonly Rule[] = [
  ...language,
  ...http,
  ...node,
  ...process,
  ...infra,
  ...vendor,
  ...cli,
]
