create or replace macro authorized_on(moment) as table
select * from authorizations_history
where valid_from <= moment::timestamptz
  and (valid_to is null or valid_to > moment::timestamptz)
  and (effective_from is null or effective_from <= moment::timestamptz)
  and (effective_until is null or effective_until >= moment::timestamptz);
comment on macro table authorized_on is 'Grants that were in force at a moment, as authorizations_history has them: from authorized_on(''2026-11-20''). A day means its first moment in the time zone of the session.';
