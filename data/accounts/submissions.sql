-- Submitted operations and their results: who, when, in which request. Additions of domains are kept for a day.
-- takedown: erases what was asked about a domain; who did so and when stays (accounts/taken-down-rows.ts)
create table if not exists submissions (
  -- id chosen by the caller
  submission_id varchar not null primary key,
  -- name of the operation
  operation varchar not null,
  -- kind of caller: key, user (a person), command (the command line) or registry (a part of it)
  by_kind varchar,
  -- id of the caller
  by_id varchar,
  -- organization of the caller
  org_id varchar,
  -- id of its request, as in the log
  request_id varchar,
  -- submission that it reverted
  reverts varchar,
  -- the operation, without secrets, their hashes and contacts
  content json not null,
  -- result: done with its facts, or refused with the reason
  answer json not null,
  -- private rows that it changed, by table, before and after; null if the revisions of an entry or the operation itself show this
  changes json,
  -- time at which it was carried out
  submitted_at timestamptz not null,
  -- commit that it was part of
  seq bigint not null
);
create index if not exists submissions_by_operation_submitted_at on submissions (operation, submitted_at);
create index if not exists submissions_by_submitted_at on submissions (submitted_at);
create index if not exists submissions_by_key on submissions (content ->> '$.key_id') where operation = 'key.create';
create index if not exists submissions_by_seq on submissions (seq);
create index if not exists submissions_by_owner on submissions (coalesce(answer ->> '$.done.org_id', org_id), seq, submission_id);
