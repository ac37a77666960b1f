-- Policies as they were saved; the index gets all but rejected ones.
-- takedown: keeps, since a policy is about no domain
create table if not exists policies (
  -- its id
  policy_id varchar not null primary key,
  -- registry, which nobody else changes, or community
  source_type varchar not null,
  -- pending, approved or rejected
  review_status varchar not null,
  -- its last revision
  revision_number uinteger not null,
  -- content of the policy
  content json not null,
  -- time of the first save
  created_at timestamptz not null,
  -- time of the last save
  updated_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists policies_by_seq on policies (seq);
