create or replace macro authorized_on(moment) as table
with asked as (
  select case when length(moment::varchar) = 10 then (moment::varchar || ' 00:00:00+00')::timestamptz
    else moment::varchar::timestamptz end as at
)
select h.* from authorizations_history h, asked
where h.valid_from <= asked.at
  and (h.valid_to is null or h.valid_to > asked.at)
  and (h.effective_from is null or h.effective_from <= asked.at)
  and (h.effective_until is null or h.effective_until >= asked.at);
comment on macro table authorized_on is 'Grants that were in force at a moment, as authorizations_history has them: from authorized_on(''2026-11-20'') or authorized_on(current_date). A day means its first moment in UTC, in whatever time zone the session is; a time without a zone is one of the session.';
