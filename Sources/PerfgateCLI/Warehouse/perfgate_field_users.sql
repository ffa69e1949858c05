{{ config(
    materialized='incremental', unique_key='day', on_schema_change='fail',
    incremental_strategy='insert_overwrite' if target.type in ('bigquery', 'spark', 'databricks') else 'delete+insert',
    partition_by={'field': 'day', 'data_type': 'date'} if target.type == 'bigquery' else ['day'] if target.type in ('spark', 'databricks') else none) }}
{%- set days = perfgate_changed_days(of_users=true) %}
SELECT perfgate_rows.*, {{ perfgate_built_at() }} FROM ({{ perfgate_users(days or ['1970-01-01']) }}) AS perfgate_rows
