/** Operations that this engine has and that wait: what the due index has. */
export const WAITS = `state = 'scheduled' AND held_by IS NULL`

/**
 * The capabilities of waiting operations (`c`), and their providers (`p`), by `pool-key.ts`. Each costs one jump in the due index,
 * however much waits. Both end with a row of NULL.
 */
export const STRETCHES = `WITH RECURSIVE c(name) AS (
    SELECT min(capability) FROM operations WHERE ${WAITS} UNION ALL
    SELECT (SELECT min(capability) FROM operations WHERE ${WAITS} AND capability > c.name) FROM c WHERE c.name IS NOT NULL),
  p(capability, pool) AS (
    SELECT c.name, (SELECT min(provider) FROM operations WHERE ${WAITS} AND capability = c.name) FROM c
      WHERE c.name IS NOT NULL UNION ALL
    SELECT p.capability, (SELECT min(provider) FROM operations WHERE ${WAITS} AND capability = p.capability
      AND provider > p.pool) FROM p WHERE p.pool IS NOT NULL)`
