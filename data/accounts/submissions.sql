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
comment on table submissions is 'What was asked of the registry and what came of it: who, when, in which request. Additions of domains are kept for a day.';
comment on column submissions.submission_id is 'id chosen by the caller';
comment on column submissions.operation is 'name of the operation';
comment on column submissions.by_kind is 'who asked: key, user (a person), command (the command line) or registry (a part of it)';
comment on column submissions.by_id is 'which one';
comment on column submissions.org_id is 'organization that it was asked for';
comment on column submissions.request_id is 'request it came with, as the log names it';
comment on column submissions.reverts is 'submission that it took back';
comment on column submissions.content is 'what was asked, without secrets, their hashes and whom to write to';
comment on column submissions.answer is 'result: done with its facts, or refused with the reason';
comment on column submissions.changes is 'private rows that it changed, by table, as they stood before and after; null where the revisions of an entry or the operation itself tell';
comment on column submissions.submitted_at is 'when it was carried out';
comment on column submissions.seq is 'commit that it was part of';
