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
comment on table reviews is 'What was handed in and waits for a person, and how it was decided.';
comment on column reviews.review_id is 'chosen by who handed it in';
comment on column reviews.kind is 'what approving and rejecting it does';
comment on column reviews.subject is 'what it is about, by its name among its kind';
comment on column reviews.submitted_by is 'key or person that handed it in';
comment on column reviews.org_id is 'its organization';
comment on column reviews.submitted_at is 'when it was handed in, or changed last before it was decided';
comment on column reviews.digest is 'SHA-256 of what was handed in, hex';
comment on column reviews.payload is 'what was handed in';
comment on column reviews.status is 'pending, approved or rejected';
comment on column reviews.reviewer is 'who decided';
comment on column reviews.notes is 'why, in words';
comment on column reviews.reviewed_at is 'when it was decided';
comment on column reviews.seq is 'commit that last touched the row';
