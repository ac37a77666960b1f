create table if not exists policies (
  policy_id varchar not null,
  source_type varchar not null,
  review_status varchar not null,
  revision_number uinteger not null,
  content json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table policies is 'Policies as they were saved; the index gets all but rejected ones.';
comment on column policies.policy_id is 'its id';
comment on column policies.source_type is 'registry, which nobody else changes, or community';
comment on column policies.review_status is 'pending, approved or rejected';
comment on column policies.revision_number is 'its last revision';
comment on column policies.content is 'content of the policy';
comment on column policies.created_at is 'time of the first save';
comment on column policies.updated_at is 'time of the last save';
comment on column policies.seq is 'commit that last touched the row';
