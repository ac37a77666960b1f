-- bookkeeping
-- key: last_event_id
-- takedown: keeps, since it names no domain
create table if not exists lost_events (
  after_event_id uuid,
  last_event_id uuid not null
);
comment on table lost_events is 'Events that a restore of an older backup lost: they are only in the event log.';
comment on column lost_events.after_event_id is 'last event before the lost ones; null where there is none';
comment on column lost_events.last_event_id is 'the last lost event; it may never have been issued where another host took over';
