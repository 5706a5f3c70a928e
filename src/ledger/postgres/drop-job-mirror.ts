/** How long the mirror's queues kept a job, in seconds: ten years, which nobody else asks for. */
export const MIRROR_KEPT_SECONDS = 10 * 365 * 86_400

/**
 * Drops the schema `NAME_jobs` that earlier versions kept beside the ledger: a pg-boss job for each run to come, which no claim
 * ever read. Drops it only if it is proved to be ours: every queue has our settings, every job the id that we computed from its
 * operation and run, and there is nothing else in it or built upon it. Otherwise, or if the role may not, it stays as it is.
 */
export const DROP_JOB_MIRROR = `DO $drop$
  DECLARE
    jobs text := current_schema || '_jobs';
    is_ours boolean;
  BEGIN
    IF to_regclass(format('%I.job', jobs)) IS NULL OR to_regclass(format('%I.queue', jobs)) IS NULL THEN RETURN; END IF;
    EXECUTE format($ours$ SELECT EXISTS (SELECT 1 FROM %1$I.queue)
      AND NOT EXISTS (SELECT 1 FROM %1$I.queue WHERE retry_limit <> 0 OR retention_seconds <> ${MIRROR_KEPT_SECONDS})
      AND NOT EXISTS (SELECT 1 FROM %1$I.job WHERE CASE
        WHEN data ->> 'operation' ~ '^op_[0-9]{1,18}$' AND data ->> 'run' ~ '^[0-9]{1,9}$'
        THEN replace(id::text, '-', '') <> lpad(to_hex(substr(data ->> 'operation', 4)::bigint), 16, '0') || '8000'
          || lpad(to_hex((data ->> 'run')::bigint), 12, '0')
        ELSE TRUE END)
      AND NOT EXISTS (SELECT 1 FROM %1$I.schedule) AND NOT EXISTS (SELECT 1 FROM %1$I.subscription) $ours$, jobs) INTO is_ours;
    IF is_ours AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = jobs::regnamespace
        AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname !~
        '^(bam|job|job_common|job_dependency|queue|queue_stats(_[0-9]+)?|schedule|subscription|version|warning)$')
      AND NOT EXISTS (SELECT 1 FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
        JOIN pg_class t ON t.oid = d.refobjid WHERE d.classid = 'pg_rewrite'::regclass
        AND t.relnamespace = jobs::regnamespace AND v.relnamespace <> t.relnamespace)
    THEN EXECUTE format('DROP SCHEMA %I CASCADE', jobs); END IF;
  EXCEPTION WHEN insufficient_privilege OR undefined_column OR undefined_table THEN NULL;
  END $drop$;`
