create or replace view properties_history as
select
  v.property_rid,
  v.publisher_domain,
  v.property_id,
  v.property_type,
  v.name,
  v.identifiers,
  v.identifier_keys,
  v.tags,
  v.supported_channels,
  v.channels,
  v.classification,
  v.source,
  v.status,
  v.stale_reason,
  v.inline_only,
  v.created_at,
  v.valid_from,
  v.valid_to,
  v.seq
from (
  select *, lead(valid_from) over (partition by publisher_domain, property_rid order by seq) as valid_to
  from property_versions
) v
where not v.ended;
comment on view properties_history is 'All states of properties, one row per state with its period.';
comment on column properties_history.property_rid is 'permanent id, created once (UUID v7)';
comment on column properties_history.publisher_domain is 'domain of the publisher that owns the property';
comment on column properties_history.property_id is 'id in the publisher’s file, not unique beyond it; null if the file gives none';
comment on column properties_history.property_type is 'website, mobile_app, ctv_app, …';
comment on column properties_history.name is 'name as published';
comment on column properties_history.identifiers is 'identifiers as the file writes them: list of {type, value}, sorted';
comment on column properties_history.identifier_keys is 'the same identifiers in the same order, normalized; join on these: lowercase, and domains without scheme, www. or m., in A-labels (xn--…)';
comment on column properties_history.tags is 'tags, sorted';
comment on column properties_history.supported_channels is 'channels as published, sorted';
comment on column properties_history.channels is 'supported_channels, or else the channels that the type implies, sorted';
comment on column properties_history.classification is 'property, ad_infra, publisher_mask, network or unclassified';
comment on column properties_history.source is 'authoritative: from the publisher’s file; contributed: from what people saved or submitted, which grants nothing; or enriched';
comment on column properties_history.status is 'active, stale, or removed (an alias of another)';
comment on column properties_history.stale_reason is 'why the property is stale: not_listed, revoked, validation_failed or disputed; null while it is active';
comment on column properties_history.inline_only is 'true if the file lists the property only inside an agent’s entry, so that no other entry can select it; otherwise null';
comment on column properties_history.created_at is 'when the property’s rid was created (UTC)';
comment on column properties_history.valid_from is 'when this state began (UTC)';
comment on column properties_history.valid_to is 'when this state ended (UTC); null for the current state';
comment on column properties_history.seq is 'commit that recorded this state';
