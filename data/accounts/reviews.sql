create table if not exists reviews (
  review_id varchar not null,
  kind varchar not null,
  subject varchar not null,
  submitted_by varchar not null,
  org_id varchar,
  submitted_at timestamptz not null,
  digest varchar not null,
  payload json not null,
  status varchar not null,
  reviewer varchar,
  notes varchar,
  reviewed_at timestamptz,
  seq bigint not null
);
comment on table reviews is 'Submissions that wait for a moderator, and decisions about them.';
comment on column reviews.review_id is 'id chosen by the caller';
comment on column reviews.kind is 'kind, which defines what approving and rejecting do';
comment on column reviews.subject is 'name of what it is about, unique within its kind';
comment on column reviews.submitted_by is 'key or person that submitted it';
comment on column reviews.org_id is 'organization of the submitter';
comment on column reviews.submitted_at is 'time of the submission, or of its last change before the decision';
comment on column reviews.digest is 'SHA-256 of the payload, hex';
comment on column reviews.payload is 'submitted content';
comment on column reviews.status is 'pending, approved or rejected';
comment on column reviews.reviewer is 'person or key that decided';
comment on column reviews.notes is 'reason of the decision';
comment on column reviews.reviewed_at is 'time of the decision';
comment on column reviews.seq is 'commit that last touched the row';
