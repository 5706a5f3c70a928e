import { page } from '../page.ts'

/**
 * Databases, caches and message brokers, by the codes that their drivers pass on. What a transaction rolled back
 * left nothing behind.
 */
export default page(
  'store',
  `
server_error: server_error typed none · it failed on their side; the same request usually works later
  code GROUP_LOAD_IN_PROGRESS COORDINATOR_LOAD_IN_PROGRESS NOT_ENOUGH_REPLICAS UNKNOWN_TOPIC_OR_PARTITION
    CONCURRENT_TRANSACTIONS
  or code code=503; also NatsError
  eg thrown {"name":"NatsError","message":"503","code":"503"}
server_error_named: server_error typed · it failed on their side; the same request usually works later
  code NOT_ENOUGH_REPLICAS_AFTER_APPEND NETWORK_EXCEPTION sqlstate=57p01|57p02
  or says terminating connection (due to administrator command|because of crash)
  eg thrown {"name":"KafkaJSProtocolError","message":"x","type":"NOT_ENOUGH_REPLICAS_AFTER_APPEND"}
request_too_large: request_too_large typed · the request exceeds a size limit
  code RECORD_LIST_TOO_LARGE MAX_PAYLOAD_EXCEEDED ER_NET_PACKET_TOO_LARGE SQLITE_TOOBIG errno=1153 sqlite=18
  or says (max allowed packet|maximum payload violation)
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":18}
forbidden: forbidden typed resource · the account or key may not do that
  code TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    PERMISSIONS_VIOLATION amqp=403|530 mongo=13
  or says noperm
  eg thrown {"name":"MongoServerError","message":"x","code":13}
network: network specific · the connection could not be made or broke
  code "message=heartbeat timeout" "message=unexpected close" amqp=320|541 label=unknowntransactioncommitresult
  eg {"message":"heartbeat timeout"}
not_found: not_found specific · what was asked for does not exist
  code ER_BAD_DB_ERROR amqp=404|312|313 errno=1146|1049 ora=942|4043 sqlstate=3d000|3f000|42p01|42704
  or says noscript no matching script
  eg thrown {"message":"Channel closed by server: 312 (NO-ROUTE)","code":312}
misuse: code_bug specific · frames or commands are malformed or out of order; the numbers look like HTTP server errors
  code amqp=501|502|503|504|505|540
  eg thrown {"message":"Channel closed by server: 504 (CHANNEL-ERROR)","code":504}
network_named: network typed · the connection could not be made or broke
  code CONNECTION_REFUSED DISCONNECT ER_SERVER_SHUTDOWN ER_SOCKET_UNEXPECTED_CLOSE ER_CLIENT_INTERACTION_TIMEOUT
    CONNECTION_DESTROYED code=stale_connection mongo=6|7|89|91|134|189|262|9001|10107|11600|11602|13435|13436
    label=retryablewriteerror|retryableerror errno=1053|1077|1079|1158|1159|1160|1161|1184|4031|2006|2013|2055
    ora=3113|3114|3135|12537|12547|12570|12571
  eg thrown {"name":"NatsError","message":"DISCONNECT","code":"DISCONNECT"}
unselected: network general none · no server could be chosen, so nothing was sent
  code MongoServerSelectionError
  eg thrown {"name":"MongoServerSelectionError","message":"connection <monitor> to 10.0.0.4:27017 closed"}
conflict_cause: conflict specific none · two changes collided
  code ER_LOCK_DEADLOCK ER_USER_LOCK_DEADLOCK ER_CHECKREAD ER_TRANSACTION_ROLLBACK_DURING_COMMIT REBALANCE_IN_PROGRESS
    UNKNOWN_MEMBER_ID ILLEGAL_GENERATION MEMBER_ID_REQUIRED FENCED_INSTANCE_ID SQLITE_BUSY_SNAPSHOT
    label=transienttransactionerror mongo=112|251 ora=60|8177 errno=1213|3058|1020|3101 sqlstate=40001|40p01|40002|40000 errcode=517
  or says moved # # # # # #, ask # # # # # #
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":517}
not_written: network specific none · the server guarantees that nothing was written
  code label=nowritesperformed
  eg thrown {"name":"MongoServerError","message":"x","code":10107,"errorLabels":["RetryableWriteError","NoWritesPerformed"]}
conflict_refused: conflict specific permanent · two changes collided
  code ER_DUP_ENTRY ER_ROW_IS_REFERENCED_2 ER_NO_REFERENCED_ROW_2 SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_PRIMARYKEY
    SQLITE_CONSTRAINT_ROWID mongo=11000|11001 ora=1 errno=1062|1586|1451|1452 sqlstate=23505|23p01|42p04|42p06|42p07|42710
    errcode=2067|1555
  or says unique constraint failed
  eg thrown {"name":"MongoServerError","message":"x","code":11000}
timeout: timeout typed · a deadline passed after the request was sent
  code PROTOCOL_SEQUENCE_TIMEOUT mongo=50|64|202
  eg thrown {"name":"MongoServerError","message":"x","code":64}
connect_timeout: connect_timeout typed none · no connection was made in time
  code "message=timeout expired" ora=12170|12535
  or says timeout exceeded when trying to connect, terminated due to connection timeout
  or says timed out after; code MongoServerSelectionError
  eg thrown {"message":"timeout expired"}
closed: code_bug specific none · the client is used before it is connected or after it was closed
  code MongoTopologyClosedError MongoNotConnectedError MongoClientClosedError MongoExpiredSessionError
  eg thrown {"name":"MongoTopologyClosedError","message":"Topology is closed"}
timeout_named: timeout typed none · a deadline passed after the request was sent
  code ER_QUERY_TIMEOUT ER_STATEMENT_TIMEOUT errno=3024|1969
  or says statement timeout; code sqlstate=57014
  eg thrown {"message":"x","code":"ER_QUERY_TIMEOUT","errno":3024,"sqlState":"HY000"}
aborted: aborted typed · somebody or the program cancelled it
  code DisconnectsClientError errno=1317 ora=1013
  eg {"message":"it failed","errno":1317}
disk_full: disk_full specific none · there is no space left
  code ER_RECORD_FILE_FULL ER_DISK_FULL SQLITE_FULL errno=1114|1021 sqlstate=53100 sqlite=13 ora=257|1652|1653|1654
  or says misconf
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":13}
out_of_memory: out_of_memory specific none · there is not enough memory
  code ER_OUTOFMEMORY ER_OUT_OF_SORTMEMORY SQLITE_NOMEM errno=1037|1038 sqlstate=53200 sqlite=7 ora=4030|4031
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":7}
invalid_request: invalid_request typed · the request itself is wrong; the same again fails the same way
  code ER_PARSE_ERROR ER_BAD_FIELD_ERROR ER_BAD_NULL_ERROR ER_DATA_TOO_LONG ER_NO_DEFAULT_FOR_FIELD
    ora=900|904|907|911|923|932|933|936|1400|1438|1722|1861|2290|2291|2292|12899
    errno=1048|1054|1064|1136|1149|1264|1292|1364|1366|1406 sqlstate_class=0a|20|21|22|23|24|26|2b|2d|34|42|44|54|p0
  or says inequivalent arg
  eg thrown {"message":"x","code":"ER_PARSE_ERROR","errno":1064,"sqlState":"HY000"}
allowance: quota specific · the user's allowance, per hour or concurrent, is used up
  code ER_TOO_MANY_USER_CONNECTIONS ER_USER_LIMIT_REACHED errno=1203|1226
  eg thrown {"message":"x","code":"ER_USER_LIMIT_REACHED","errno":1226,"sqlState":"HY000"}
auth_named: auth typed · the key, token or login is missing, wrong or expired
  code ER_ACCESS_DENIED_ERROR ER_ACCESS_DENIED_NO_PASSWORD_ERROR ER_MUST_CHANGE_PASSWORD_LOGIN AUTHORIZATION_VIOLATION
    errno=1045|1698|1820|1862|1524 ora=1005|1017|28000|28001 sqlstate_class=28 mongo=18|8000
  or says no pg hba conf entry, tenant or user not found, (noauth|wrongpass), called without any password configured
  eg thrown {"name":"MongoServerError","message":"x","code":18}
denied: forbidden specific · the user or host has no permission for it
  code ER_DBACCESS_DENIED_ERROR ER_HOST_IS_BLOCKED ER_HOST_NOT_PRIVILEGED ER_TABLEACCESS_DENIED_ERROR
    errno=1044|1129|1130|1142|1143|1227|1370
  eg thrown {"message":"x","code":"ER_TABLEACCESS_DENIED_ERROR","errno":1142,"sqlState":"HY000"}
network_refused: network typed none · the connection could not be made or broke
  code ClientOfflineError errno=2002|2003 ora=12541|12543 sqlstate=57p05|25p03|08001|08004
  or says cant connect to (local|) (mysql|mariadb) server, connection is in closed state,
    has encountered a connection error and is not queryable, due to idle (session|in transaction) timeout,
    none of startup nodes is available, stream isnt writeable, all sentinels are unreachable
  eg thrown {"message":"x","code":"CR_CONN_HOST_ERROR","errno":2003,"sqlState":"HY000"}
host: dns typed none · the host of the server is not known
  code errno=2005
  eg thrown {"message":"x","code":"CR_UNKNOWN_HOST","errno":2005,"sqlState":"HY000"}
config_named: config typed · a setting is wrong or missing; somebody has to change it
  code SQLITE_CORRUPT SQLITE_NOTADB SQLITE_CORRUPT_VTAB SQLITE_CORRUPT_SEQUENCE SQLITE_CORRUPT_INDEX
    ER_OPTION_PREVENTS_STATEMENT sqlstate=53400|25006|08p01 sqlite=11|26 errno=1290|1836 ora=12154|12505|12514
  or says oom command not allowed, used memory maxmemory, running in protected mode, file is (encrypted or is|) not a database
  eg thrown {"message":"file is not a database","code":"ERR_SQLITE_ERROR","errcode":26}
echo: unknown typed none · only says that an earlier statement of the transaction failed; that statement has the error
  code sqlstate=25p02
  eg thrown {"name":"error","message":"current transaction is aborted, commands ignored until end of transaction block","severity":"ERROR","code":"25P02","routine":"x"}
internal: server_error status · an internal error of the server, or a message of a pooler in front of it
  code sqlstate_class=xx ora=600|7445
  eg thrown {"name":"error","message":"x","severity":"ERROR","code":"XX000","routine":"x"}
code_bug: code_bug typed · the program is wrong; it fails the same way again
  code CONNECTION_ENDED SQLITE_MISUSE SQLITE_RANGE sqlite=21|25
  or says (execabort|wrongtype|crossslot|cross slot|nogroup),
    err (wrong number of arguments|unknown command|value is not|syntax error|operation against|no such key)
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":21}
loading: loading typed none · it is starting or loading; it will be there soon
  code sqlstate=57p03 ora=1033|1034|1089|1090|12528
  or says database system is (starting up|shutting down|in recovery mode|not accepting connections|not yet accepting connections),
    redis is loading
  eg thrown {"name":"ReplyError","message":"LOADING Redis is loading the dataset","command":{"name":"get","args":["k"]}}
overloaded_named: overloaded typed none · too much load from everybody; nothing was accepted, and it passes
  code ER_CON_COUNT_ERROR ER_OUT_OF_RESOURCES ER_SERVER_ISNT_AVAILABLE "message=no connections available" sqlstate=53300
    amqp=506 label=systemoverloadederror errno=1040|1041|3168 ora=18|20|12516|12519|12520
  or says too many clients already, remaining connection slots are reserved, too many connections for (role|database),
    (tryagain|clusterdown|masterdown|noreplicas), max number of clients reached
  eg thrown {"message":"Channel closed by server: 506 (RESOURCE-ERROR)","code":506}
lock_named: lock typed none · somebody else holds the lock for now
  says busy redis is busy
  or code SQLITE_BUSY SQLITE_BUSY_RECOVERY SQLITE_BUSY_TIMEOUT SQLITE_PROTOCOL SQLITE_SCHEMA SQLITE_LOCKED_SHAREDCACHE
    SQLITE_READONLY_RECOVERY SQLITE_READONLY_ROLLBACK ER_LOCK_NOWAIT ER_LOCK_TABLE_FULL ER_TOO_MANY_CONCURRENT_TRXS sqlite=15|17 ora=54|30006
    errcode=5|261|773|262|264|776 errno=1205|3572|1206|1637 sqlstate=55p03|55006
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":776}
given_up: network status · the connection could not be made or broke
  code MaxRetriesPerRequestError ClusterAllFailedError sqlstate_class=08
  eg thrown {"name":"error","message":"x","severity":"ERROR","code":"08006","routine":"x"}
worker_lost: runner_lost typed · the worker lost its job: it stalled, or another one took over
  says missing lock for job, job stalled more than allowable limit
  eg thrown {"message":"job stalled more than allowable limit"}
config_said: config general · a setting is wrong or missing; somebody has to change it
  code SQLITE_READONLY SQLITE_READONLY_DBMOVED SQLITE_READONLY_DIRECTORY SQLITE_READONLY_CANTINIT SQLITE_READONLY_CANTLOCK
    SQLITE_CANTOPEN SQLITE_CANTOPEN_ISDIR SQLITE_CANTOPEN_FULLPATH SQLITE_CANTOPEN_DIRTYWAL sqlite=8|14
  or says unable to open database file
  eg thrown {"message":"x","code":"ERR_SQLITE_ERROR","errcode":1032}
interrupted: aborted typed none · the program interrupted its own statement
  code SQLITE_INTERRUPT sqlite=9
  eg thrown {"message":"interrupted","code":"ERR_SQLITE_ERROR","errcode":9}
constraint: invalid_request general · the request itself is wrong; the same again fails the same way
  code SQLITE_CONSTRAINT SQLITE_CONSTRAINT_NOTNULL SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_FOREIGNKEY
    SQLITE_CONSTRAINT_TRIGGER SQLITE_CONSTRAINT_DATATYPE UnrecoverableError SQLITE_ERROR SQLITE_MISMATCH SQLITE_AUTH
    sqlite=19|1|20
  or says (not null|check|foreign key) constraint failed
  eg thrown {"name":"UnrecoverableError","message":"x"}
`,
)
