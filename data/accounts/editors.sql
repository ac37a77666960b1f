create table if not exists editors (
  editor_id uuid not null,
  kind varchar not null,
  principal_id varchar not null,
  org_id varchar,
  seq bigint not null
);
comment on table editors is 'Who stands behind the ids that public revisions carry.';
comment on column editors.editor_id is 'made at random: it says nothing by itself';
comment on column editors.kind is 'key or user';
comment on column editors.principal_id is 'the key, or the user';
comment on column editors.org_id is 'the organization for which was edited';
comment on column editors.seq is 'commit in which that one first edited';
