-- Receivers to which changes are posted, and which changes; of a deleted one only that it existed.
-- takedown: erases filters and receivers (accounts/taken-down-rows.ts)
create table if not exists subscriptions (
  -- id of the subscription
  subscription_id varchar not null primary key,
  -- organization that owns it
  org_id varchar not null,
  -- address to which changes are posted; null once deleted
  url varchar,
  -- types and patterns of types; an empty list means all
  event_types json not null,
  -- domains that an event must concern; an empty list means any
  domains json not null,
  -- agents that an event must concern; an empty list means any
  agents json not null,
  -- event after which deliveries begin
  begins_after varchar not null,
  -- key or person that created it; null once deleted
  created_by varchar,
  -- time at which it was created
  created_at timestamptz not null,
  -- time since which nothing is posted; null while changes are
  disabled_at timestamptz,
  -- reason, in a sentence
  disabled_reason varchar,
  -- time at which it was deleted
  deleted_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists subscriptions_by_org_id on subscriptions (org_id);
create index if not exists subscriptions_by_seq on subscriptions (seq);
