-- key: entity, domain, revision_number
-- index: domain, entity
-- index: revision_id
-- index: seq
-- takedown: deletes by domain
create table if not exists revisions (
  entity varchar not null,
  domain varchar not null,
  revision_number uinteger not null,
  revision_id uuid,
  editor_id varchar not null,
  edit_summary varchar not null,
  source varchar not null,
  is_rollback boolean not null,
  rolled_back_to uinteger,
  state json not null,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table revisions is 'Revisions of entries and policies: saves, enrichments and rollbacks. Crawls create none. Each entry numbers its revisions from 1.';
comment on column revisions.entity is 'brand, property or policy';
comment on column revisions.domain is 'domain of the brand or publisher; for a policy, its id';
comment on column revisions.revision_number is 'number of the revision within the entry';
comment on column revisions.revision_id is 'id chosen by the caller; null for revisions of policies';
comment on column revisions.editor_id is 'opaque id of the editor; system for automated enrichment';
comment on column revisions.edit_summary is 'reason that the editor gave';
comment on column revisions.source is 'source of the entry after this revision: brand_json, adagents_json, enriched, community or registry';
comment on column revisions.is_rollback is 'whether the revision restored an earlier one, or stopped hosting the entry';
comment on column revisions.rolled_back_to is 'number of the revision that was restored; 0, the state before the first, if it stopped hosting the entry; null for any other change';
comment on column revisions.state is 'the entry after this revision: source, status, brand_name, document and contact_id';
comment on column revisions.created_at is 'time of the commit (UTC)';
comment on column revisions.seq is 'commit that made the revision';
