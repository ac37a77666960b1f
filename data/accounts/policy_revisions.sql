create table if not exists policy_revisions (
  policy_id varchar not null,
  revision_number uinteger not null,
  editor_id varchar not null,
  edit_summary varchar not null,
  source varchar not null,
  state json not null,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table policy_revisions is 'Saves of policies, numbered from 1, which created the policy.';
comment on column policy_revisions.policy_id is 'the policy';
comment on column policy_revisions.revision_number is 'number within the policy';
comment on column policy_revisions.editor_id is 'public id of the editor; system for the registry';
comment on column policy_revisions.edit_summary is 'description of the change';
comment on column policy_revisions.source is 'registry or community';
comment on column policy_revisions.state is 'content of the policy after it';
comment on column policy_revisions.created_at is 'time at which it was saved';
comment on column policy_revisions.seq is 'commit that made it';
