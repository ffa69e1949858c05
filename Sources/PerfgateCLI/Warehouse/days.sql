{# The current day, and days before it, as datetime.date. #}
{% macro perfgate_today(before=0) %}
  {%- set date = modules.datetime.date -%}
  {%- set today = date.fromisoformat(var('perfgate_today')) if var('perfgate_today') else modules.datetime.datetime.now(modules.pytz.utc).date() -%}
  {{ return(today - modules.datetime.timedelta(days=before)) }}
{% endmacro %}

{# The days to build, such as "2026-11-20": the given ones, else those with another number of events than the table's
   metric "visits" counts. #}
{% macro perfgate_changed_days(of_users=false) %}
  {%- if not execute %}{{ return([]) }}{% endif -%}
  {%- set since = perfgate_today(before=var('perfgate_lookback_days')) | string -%}
  {%- set known, days = {}, var('perfgate_days') | list -%}
  {%- if not days and is_incremental() -%}
    {%- set day, sum = adapter.quote('day'), 'm' if of_users else 'n' -%}
    {%- for row in run_query('SELECT ' ~ day ~ ', SUM(' ~ sum ~ ') FROM ' ~ this ~ " WHERE metric = 'visits' GROUP BY " ~ day) -%}
      {%- do known.update({(row[0] | string)[:10]: row[1] | int}) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- for row in ([] if days else run_query(perfgate_user_counts(since) if of_users else perfgate_counts(since))) -%}
    {%- set day = (row[0] | string)[:10] -%}
    {%- if known.get(day) != (row[1] | int) %}{% do days.append(day) %}{% endif -%}
  {%- endfor -%}
  {%- do log('perfgate: ' ~ days | length ~ ' days to build' ~ (': ' ~ days | sort | join(' ') if days and days | length < 8 else ''), info=true) -%}
  {{ return(days | sort) }}
{% endmacro %}

{# The time of the call, by which the tests find the rows that were built last. #}
{% macro perfgate_built_at() %}CAST('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' AS {{ 'DateTime' if target.type == 'clickhouse' else 'TIMESTAMP' }}) AS built_at{% endmacro %}
