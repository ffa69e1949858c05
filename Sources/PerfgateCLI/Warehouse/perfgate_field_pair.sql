{{ config(materialized='view', enabled=var('perfgate_base') is not none and var('perfgate_candidate') is not none) }}
{{ perfgate_pair(ref('perfgate_field'), var('perfgate_base') or '', var('perfgate_candidate') or '') }}
