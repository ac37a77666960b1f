-- Submissions that wait for a moderator, and decisions about them.
-- takedown: deletes what names a domain in subject
create table if not exists reviews (
  -- id chosen by the caller
  review_id varchar not null primary key,
  -- kind, which defines what approving and rejecting do
  kind varchar not null,
  -- name of what it is about, unique within its kind
  subject varchar not null,
  -- key or person that submitted it
  submitted_by varchar not null,
  -- organization of the submitter
  org_id varchar,
  -- time of the submission, or of its last change before the decision
  submitted_at timestamptz not null,
  -- SHA-256 of the payload, hex
  digest varchar not null,
  -- submitted content
  payload json not null,
  -- pending, approved or rejected
  status varchar not null,
  -- person or key that decided
  reviewer varchar,
  -- reason of the decision
  notes varchar,
  -- time of the decision
  reviewed_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists reviews_by_kind_subject on reviews (kind, subject);
create index if not exists reviews_by_kind_status on reviews (kind, status, seq);
create index if not exists reviews_by_seq on reviews (seq);
