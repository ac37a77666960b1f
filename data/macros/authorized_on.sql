create or replace macro authorized_on(moment) as table
with requested as (
  select if(regexp_matches(moment::varchar, ':.*[A-Za-z+-]'), moment::varchar,
    moment::varchar::timestamp::varchar || '+00')::timestamptz as at
), recorded as (
  select case when requested.at < history_since then error('authorized_on: nothing was recorded before '
    || strftime(make_timestamp(epoch_us(history_since)), '%Y-%m-%dT%H:%M:%S.%gZ')
    || ', when this registry began; ask for a later time')
    when requested.at > greatest(as_of, now()) then error('authorized_on: what is known ends at '
    || strftime(make_timestamp(epoch_us(as_of)), '%Y-%m-%dT%H:%M:%S.%gZ')
    || '; ask for an earlier time') else requested.at end as at
  from requested, data_set
)
select h.* from authorizations_history h, recorded
where h.valid_from <= recorded.at
  and (h.valid_to is null or h.valid_to > recorded.at)
  and (h.effective_from is null or h.effective_from <= recorded.at)
  and (h.effective_until is null or h.effective_until >= recorded.at);
comment on macro table authorized_on is 'Grants that were in force at a time, by authorizations_history: from authorized_on(''2026-11-20'') or authorized_on(now()). A time before data_set.history_since and one in the future are rejected, since nothing is known about them; an older copy answers for now() and any other time after its data_set.as_of with what was known at as_of. Where the file is attached to another, write use and its name first. It tells what publishers granted, not who might sell: a grant that the operator of the agent contradicts (grants_flat.operator_side) is among them, and so is one whose properties are stale. A date means 00:00 UTC and a time without a zone is in UTC, whatever the time zone of the session.';
