create table if not exists submissions (
  submission_id varchar not null,
  operation varchar not null,
  by_kind varchar,
  by_id varchar,
  org_id varchar,
  request_id varchar,
  reverts varchar,
  content json not null,
  answer json not null,
  changes json,
  submitted_at timestamptz not null,
  seq bigint not null
);
comment on table submissions is 'Submitted operations and their results: who, when, in which request. Additions of domains are kept for a day.';
comment on column submissions.submission_id is 'id chosen by the caller';
comment on column submissions.operation is 'name of the operation';
comment on column submissions.by_kind is 'kind of caller: key, user (a person), command (the command line) or registry (a part of it)';
comment on column submissions.by_id is 'id of the caller';
comment on column submissions.org_id is 'organization of the caller';
comment on column submissions.request_id is 'id of its request, as in the log';
comment on column submissions.reverts is 'submission that it reverted';
comment on column submissions.content is 'the operation, without secrets, their hashes and contacts';
comment on column submissions.answer is 'result: done with its facts, or refused with the reason';
comment on column submissions.changes is 'private rows that it changed, by table, before and after; null if the revisions of an entry or the operation itself show this';
comment on column submissions.submitted_at is 'time at which it was carried out';
comment on column submissions.seq is 'commit that it was part of';
