{# The values of a bucket are low … low + width - 1 quanta. #}
{% macro perfgate_low() %}CASE WHEN bucket < 128 THEN bucket{% for s in range(1, 26) %} WHEN bucket < {{ 64 * s + 128 }} THEN (bucket - {{ 64 * s }}) * {{ 2 ** s }}{% endfor %} END{% endmacro %}
{% macro perfgate_width() %}CASE WHEN bucket < 128 THEN 1{% for s in range(1, 26) %} WHEN bucket < {{ 64 * s + 128 }} THEN {{ 2 ** s }}{% endfor %} END{% endmacro %}

{# The rows that were built last. #}
{% macro perfgate_built(model) %}(SELECT * FROM {{ model }} WHERE built_at = (SELECT MAX(built_at) FROM {{ model }})) AS built{% endmacro %}

{# Each count and sum is possible for its bucket. #}
{% test perfgate_bucket_bounds(model) %}
SELECT * FROM (SELECT n, bucket, quanta, {{ perfgate_low() }} AS low, {{ perfgate_width() }} AS width FROM {{ perfgate_built(model) }}) AS bounded
WHERE n < 1 OR bucket < 0 OR bucket > 1707 OR low IS NULL OR quanta < n * low OR quanta > n * (low + width - 1)
{% endtest %}

{# No key comes twice: the columns beside the numbers. #}
{% test perfgate_key_is_unique(model) %}
{%- set keys = [] %}
{%- for column in adapter.get_columns_in_relation(model) if column.name not in ['n', 'quanta', 'users', 'm', 'm2', 's2', 'sm', 'built_at'] %}
  {%- do keys.append(adapter.quote(column.name)) %}
{%- endfor %}
SELECT {{ keys | join(', ') }} FROM {{ perfgate_built(model) }} GROUP BY {{ keys | join(', ') }} HAVING COUNT(*) > 1
{% endtest %}

{# Each event counts once: also of days that vanished from the events, whose rows must be deleted by hand. #}
{% test perfgate_all_events_counted(model) %}
{%- set day, since = adapter.quote('day'), perfgate_today(before=var('perfgate_lookback_days')) | string %}
SELECT given.{{ day }} AS given_day, given.n AS given_events, known.k_day AS known_day, known.k_events AS known_events
FROM ({{ perfgate_counts(since) }}) AS given
FULL JOIN (
  SELECT {{ day }} AS k_day, SUM(n) AS k_events FROM {{ model }}
  WHERE metric = 'visits' AND {{ day }} >= CAST('{{ since }}' AS DATE) GROUP BY {{ day }}) AS known
  ON given.{{ day }} = known.k_day
WHERE given.n IS NULL OR known.k_events IS NULL OR given.n <> known.k_events
{% endtest %}

{# A visit is loaded, error or abandoned: other words count as failures. #}
{% test perfgate_outcomes_are_known(model) %}
SELECT {{ adapter.quote('day') }}, n FROM {{ perfgate_built(model) }} WHERE metric = 'unknown_outcome'
{% endtest %}

{# The newest day isn't old. #}
{% test perfgate_is_fresh(model) %}
SELECT newest FROM (SELECT MAX({{ adapter.quote('day') }}) AS newest FROM {{ model }}) AS days
WHERE newest IS NULL OR newest < CAST('{{ perfgate_today(before=var("perfgate_fresh_days")) }}' AS DATE)
{% endtest %}
