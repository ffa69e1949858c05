-- The stacks of a Perfetto trace as comma-separated rows for `perfgate why`:
--
--   trace_processor_shell -q stacks.sql app.perfetto-trace > profiles/head/1.csv
--
-- Rows of kind `slice` are the intervals of pages, from Trace.beginAsyncSection("perfgate:visit:Search", id) and the
-- same with `load`, `first-layout` and `scroll`. Rows of kind `sample` are the samples of the main threads of processes
-- with such slices; `stack` is binary`function, outermost first, separated by `;`. `weight` is the time in ns between
-- samples, if the trace knows it: if it is [NULL], put a line like `# perfgate ms_per_sample=1` at the file's start.
-- The row of kind `recording` says from when to when samples were taken. All times are in ns.
WITH RECURSIVE
  pages AS (
    SELECT s.ts, s.dur, s.name, t.upid
    FROM slice s JOIN process_track t ON s.track_id = t.id
    WHERE s.name GLOB 'perfgate:*:*'
    UNION ALL
    SELECT s.ts, s.dur, s.name, thread.upid
    FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid)
    WHERE s.name GLOB 'perfgate:*:*'
  ),
  samples AS MATERIALIZED (
    SELECT p.ts, p.callsite_id, p.perf_session_id
    FROM perf_sample p JOIN thread USING (utid)
    WHERE thread.is_main_thread AND thread.upid IN (SELECT upid FROM pages)
  ),
  -- The outermost of the functions inlined at an address.
  symbols AS MATERIALIZED (
    SELECT symbol_set_id, name, max(id) FROM stack_profile_symbol GROUP BY symbol_set_id
  ),
  named AS (
    SELECT f.id, m.name AS binary, coalesce(s.name, f.deobfuscated_name, f.name, '') AS name
    FROM stack_profile_frame f
    JOIN stack_profile_mapping m ON f.mapping = m.id
    LEFT JOIN symbols s ON f.symbol_set_id = s.symbol_set_id
  ),
  -- Without the separators of stacks, rows and values.
  frames AS MATERIALIZED (
    SELECT id, replace(replace(replace(replace(
      coalesce(binary, '') || '`' || coalesce(demangle(name), name),
      ';', ','), '"', ''''), char(10), ' '), char(13), ' ') AS text
    FROM named
  ),
  walk(leaf, caller, stack) AS (
    SELECT c.id, c.parent_id, f.text
    FROM stack_profile_callsite c JOIN frames f ON c.frame_id = f.id
    WHERE c.id IN (SELECT callsite_id FROM samples)
    UNION ALL
    SELECT w.leaf, c.parent_id, f.text || ';' || w.stack
    FROM walk w JOIN stack_profile_callsite c ON c.id = w.caller JOIN frames f ON c.frame_id = f.id
  ),
  stacks AS MATERIALIZED (SELECT leaf, stack FROM walk WHERE caller IS NULL),
  -- The time between samples of a clock. Samples of other processes are missing, so many gaps are longer.
  gaps AS (
    SELECT t.perf_session_id, c.value - lag(c.value) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS ns
    FROM counter c JOIN perf_counter_track t ON c.track_id = t.id
    WHERE t.is_timebase AND t.name IN ('cpu-clock', 'task-clock')
  ),
  sorted AS (
    SELECT perf_session_id, ns, row_number() OVER (PARTITION BY perf_session_id ORDER BY ns) AS place,
      count(*) OVER (PARTITION BY perf_session_id) AS number
    FROM gaps WHERE ns > 0
  ),
  periods AS MATERIALIZED (SELECT perf_session_id, ns FROM sorted WHERE place = (number + 9) / 10)
SELECT 'recording' AS kind, min(ts) AS ts, max(ts) - min(ts) + 1 AS dur, NULL AS is_main_thread, NULL AS name,
  NULL AS stack, NULL AS weight
FROM perf_sample
UNION ALL
SELECT 'slice', ts, dur, NULL, name, NULL, NULL FROM pages
UNION ALL
SELECT 'sample', s.ts, NULL, 1, NULL, w.stack, p.ns
FROM samples s
LEFT JOIN stacks w ON w.leaf = s.callsite_id
LEFT JOIN periods p ON p.perf_session_id = s.perf_session_id;
