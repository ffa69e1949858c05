{{ config(materialized='view') }}
{{ perfgate_quantiles(ref('perfgate_field'), ['app', 'page', 'release', 'day', 'metric']) }}
