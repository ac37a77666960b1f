-- Subscriptions that are posted the audit of their organization instead of changes.
-- takedown: keeps, since it names no domain
create table if not exists audit_subscriptions (
  -- the subscription
  subscription_id varchar not null primary key,
  -- key or person by whose right it is posted: whoever created it or resumed it last
  granted_by varchar not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists audit_subscriptions_by_seq on audit_subscriptions (seq);
