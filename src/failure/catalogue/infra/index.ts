import type { Rule } from '../rule.ts'
import brokers from './brokers.ts'
import browsers from './browsers.ts'
import cloud from './cloud.ts'
import cloudflare from './cloudflare.ts'
import curl from './curl.ts'
import gateways from './gateways.ts'
import git from './git.ts'
import go from './go.ts'
import grpc from './grpc.ts'
import httpLibraries from './http-libraries.ts'
import http2 from './http2.ts'
import java from './java.ts'
import mail from './mail.ts'
import mcp from './mcp.ts'
import messengers from './messengers.ts'
import mistakes from './mistakes.ts'
import mongo from './mongo.ts'
import mysql from './mysql.ts'
import mysqlConnections from './mysql-connections.ts'
import names from './names.ts'
import oauth from './oauth.ts'
import packages from './packages.ts'
import postgres from './postgres.ts'
import postgresClients from './postgres-clients.ts'
import postgresConnections from './postgres-connections.ts'
import python from './python.ts'
import redis from './redis.ts'
import rust from './rust.ts'
import services from './services.ts'
import sqlite from './sqlite.ts'
import system from './system.ts'
import tls from './tls.ts'
import typed from './typed.ts'
import undici from './undici.ts'
import websocket from './websocket.ts'
import workBuddy from './work-buddy.ts'

/** What agent programs run on and talk to: runtimes, protocols, gateways, data stores, tools, other languages. */
export default [
  ...brokers,
  ...browsers,
  ...cloud,
  ...cloudflare,
  ...curl,
  ...gateways,
  ...git,
  ...go,
  ...grpc,
  ...httpLibraries,
  ...http2,
  ...java,
  ...mail,
  ...mcp,
  ...messengers,
  ...mistakes,
  ...mongo,
  ...mysql,
  ...mysqlConnections,
  ...names,
  ...oauth,
  ...packages,
  ...postgres,
  ...postgresClients,
  ...postgresConnections,
  ...python,
  ...redis,
  ...rust,
  ...services,
  ...sqlite,
  ...system,
  ...tls,
  ...typed,
  ...undici,
  ...websocket,
  ...workBuddy,
] satisfies Rule[]
