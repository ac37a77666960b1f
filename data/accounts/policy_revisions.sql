-- Saves of policies, numbered from 1, which created the policy.
-- takedown: keeps, since a policy is about no domain
create table if not exists policy_revisions (
  -- the policy
  policy_id varchar not null,
  -- number within the policy
  revision_number uinteger not null,
  -- public id of the editor; system for the registry
  editor_id varchar not null,
  -- description of the change
  edit_summary varchar not null,
  -- registry or community
  source varchar not null,
  -- content of the policy after it
  state json not null,
  -- time at which it was saved
  created_at timestamptz not null,
  -- commit that made it
  seq bigint not null
);
create index if not exists policy_revisions_by_policy_id on policy_revisions (policy_id);
create index if not exists policy_revisions_by_seq on policy_revisions (seq);
