create table if not exists billing_events (
  event_id varchar not null,
  org_id varchar not null,
  occurred_at timestamptz not null,
  membership_tier varchar,
  is_applied boolean not null,
  received_at timestamptz not null,
  seq bigint not null
);
comment on table billing_events is 'Events of the billing provider about memberships; each counts once.';
comment on column billing_events.event_id is 'id given by the provider';
comment on column billing_events.org_id is 'organization of the membership';
comment on column billing_events.occurred_at is 'time of the event, by the provider';
comment on column billing_events.membership_tier is 'tier after the event';
comment on column billing_events.is_applied is 'false if it arrived after a newer one';
comment on column billing_events.received_at is 'time at which it was received';
comment on column billing_events.seq is 'commit that took it in';
