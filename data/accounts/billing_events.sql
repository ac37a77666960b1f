create table if not exists billing_events (
  event_id varchar not null,
  org_id varchar not null,
  occurred_at timestamptz not null,
  membership_tier varchar,
  is_applied boolean not null,
  received_at timestamptz not null,
  seq bigint not null
);
comment on table billing_events is 'What the billing provider told of memberships; each event counts once.';
comment on column billing_events.event_id is 'id that the provider gave it';
comment on column billing_events.org_id is 'whose membership it is about';
comment on column billing_events.occurred_at is 'when it happened, as the provider says';
comment on column billing_events.membership_tier is 'the tier after it';
comment on column billing_events.is_applied is 'false for one that came after a newer one';
comment on column billing_events.received_at is 'when it was taken in';
comment on column billing_events.seq is 'commit that took it in';
