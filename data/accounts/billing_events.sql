-- Events of the billing provider about memberships; each counts once.
-- takedown: keeps, since it names no domain
create table if not exists billing_events (
  -- id given by the provider
  event_id varchar not null primary key,
  -- organization of the membership
  org_id varchar not null,
  -- time of the event, by the provider
  occurred_at timestamptz not null,
  -- tier after the event
  membership_tier varchar,
  -- false if it arrived after a newer one
  is_applied boolean not null,
  -- time at which it was received
  received_at timestamptz not null,
  -- commit that took it in
  seq bigint not null
);
create index if not exists billing_events_by_org_id on billing_events (org_id);
create index if not exists billing_events_by_seq on billing_events (seq);
