import { KEY_RETENTION_DEFAULT_MS } from '../operation.ts'

/**
 * Submits from SQL, in the caller's transaction. Does not check the parameters against the capability: the runner does.
 */
export const SUBMIT = `CREATE OR REPLACE FUNCTION submit(capability text, params jsonb DEFAULT '{}', key text DEFAULT NULL,
    due_at timestamptz DEFAULT NULL, priority integer DEFAULT 0, session text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $submit$
  #variable_conflict use_variable
  DECLARE
    now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    due_ms bigint := coalesce(floor(extract(epoch FROM submit.due_at) * 1000), now_ms);
    number bigint;
    before bigint;
    known record;
  BEGIN
    IF coalesce(submit.capability, '') = '' THEN RAISE 'a capability is needed'; END IF;
    IF submit.priority NOT BETWEEN -10 AND 10 THEN
      RAISE '%: priority must be an integer from -10 to 10, not %', submit.capability, submit.priority;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext('mulligan:' || current_schema) & 2147483647,
      (CASE WHEN is_called THEN last_value ELSE 0 END & 2147483647)::int) FROM numbers;
    IF submit.key IS NOT NULL THEN
      LOOP
        -- Locked first and read then: whoever waited sees the operations beside a key as they were before.
        SELECT k.operation INTO before FROM keys k
          WHERE k.capability = submit.capability AND k.key = submit.key FOR UPDATE;
        SELECT o.id, o.params::jsonb AS params INTO known FROM operations o
          WHERE o.id = before AND (o.ended_at IS NULL OR o.ended_at + o.key_retention_ms >= now_ms);
        IF FOUND THEN
          IF known.params <> submit.params THEN
            RAISE 'the key % of % belongs to op_%, which has other parameters', submit.key, submit.capability, known.id
              USING ERRCODE = 'unique_violation';
          END IF;
          RETURN 'op_' || known.id;
        END IF;
        number := nextval('numbers');
        INSERT INTO keys AS k (capability, key, operation, params_hash) VALUES (submit.capability, submit.key, number, '')
          ON CONFLICT ON CONSTRAINT keys_pkey DO UPDATE SET operation = number, params_hash = '' WHERE k.operation = before;
        -- Else somebody took it meanwhile, and is found now.
        EXIT WHEN FOUND;
      END LOOP;
    END IF;
    number := coalesce(number, nextval('numbers'));
    INSERT INTO operations (id, capability, params, provider, rank, state, due_at, since, waiting, mode, created_at, updated_at,
      key, key_retention_ms, session, source, last_event) VALUES (number, submit.capability, submit.params::text, '',
      0 - submit.priority, 'scheduled', due_ms, now_ms, 'first', 'again', now_ms, now_ms, submit.key,
      CASE WHEN submit.key IS NULL THEN NULL ELSE ${KEY_RETENTION_DEFAULT_MS} END, submit.session, 'submit', number);
    PERFORM pg_notify('mulligan_' || current_schema, 'sql');
    RETURN 'op_' || number;
  END $submit$;`
