create table if not exists subscriptions (
  subscription_id varchar not null,
  org_id varchar not null,
  url varchar,
  event_types json not null,
  domains json not null,
  agents json not null,
  begins_after varchar not null,
  created_by varchar,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason varchar,
  deleted_at timestamptz,
  seq bigint not null
);
comment on table subscriptions is 'Receivers to which changes are posted, and which changes; of a deleted one only that it existed.';
comment on column subscriptions.subscription_id is 'id of the subscription';
comment on column subscriptions.org_id is 'organization that owns it';
comment on column subscriptions.url is 'address to which changes are posted; null once deleted';
comment on column subscriptions.event_types is 'types and patterns of types; an empty list means all';
comment on column subscriptions.domains is 'domains that an event must concern; an empty list means any';
comment on column subscriptions.agents is 'agents that an event must concern; an empty list means any';
comment on column subscriptions.begins_after is 'event after which deliveries begin';
comment on column subscriptions.created_by is 'key or person that created it; null once deleted';
comment on column subscriptions.created_at is 'time at which it was created';
comment on column subscriptions.disabled_at is 'time since which nothing is posted; null while changes are';
comment on column subscriptions.disabled_reason is 'reason, in a sentence';
comment on column subscriptions.deleted_at is 'time at which it was deleted';
comment on column subscriptions.seq is 'commit that last touched the row';
