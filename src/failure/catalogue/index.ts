import abroad from './pages/abroad.ts'
import absent from './pages/absent.ts'
import access from './pages/access.ts'
import capacity from './pages/capacity.ts'
import cli from './pages/cli.ts'
import http from './pages/http.ts'
import limit from './pages/limit.ts'
import local from './pages/local.ts'
import localModel from './pages/local-model.ts'
import money from './pages/money.ts'
import net from './pages/net.ts'
import node from './pages/node.ts'
import process from './pages/process.ts'
import program from './pages/program.ts'
import rail from './pages/rail.ts'
import request from './pages/request.ts'
import server from './pages/server.ts'
import service from './pages/service.ts'
import stopped from './pages/stopped.ts'
import store from './pages/store.ts'
import time from './pages/time.ts'
import transport from './pages/transport.ts'
import typed from './pages/typed.ts'
import vendor from './pages/vendor.ts'
import type { Rule } from './rule.ts'

/** The catalogue in parts, to measure what each is worth. */
export const PARTS = {
  /** How failures are worded in general. These rules also recognise vendors that have no rules of their own. */
  language: [
    ...money,
    ...limit,
    ...capacity,
    ...request,
    ...access,
    ...absent,
    ...net,
    ...time,
    ...rail,
    ...stopped,
    ...local,
    ...localModel,
    ...server,
    ...abroad,
  ],
  /** What a status, a system code or the end of a process says on its own. */
  status: [...http, ...node, ...process],
  /** What the failed program states itself. */
  typed,
  /** What agents run and call. */
  tools: [...store, ...transport, ...program, ...service],
  vendor,
  cli,
} satisfies Record<string, readonly Rule[]>

/** Every rule. The order has no meaning: precedence.ts decides. */
export const CATALOGUE: readonly Rule[] = Object.values(PARTS).flat()
