-- key: event_id
-- index: seq
-- takedown: erases all copies of the feed (writer/takedown/erase-copies.ts)
create table if not exists events (
  event_id uuid not null,
  event_type varchar not null, -- published as enum event_type
  entity_type varchar not null, -- published as enum entity_type
  entity_id varchar not null,
  payload json not null,
  actor varchar not null,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table events is 'The change feed: what changed about agents, publishers, properties, collections and authorizations. Brands have no events; their changes are in brands_history.';
comment on column events.event_id is 'UUID v7, strictly increasing';
comment on column events.event_type is 'one of the feed’s twenty event types';
comment on column events.entity_type is 'agent, authorization, collection, property or publisher';
comment on column events.entity_id is 'id of the entity that changed';
comment on column events.payload is 'details of the change';
comment on column events.actor is 'actor of the event, such as pipeline:crawler';
comment on column events.created_at is 'time of the commit (UTC)';
comment on column events.seq is 'commit that made the event';
