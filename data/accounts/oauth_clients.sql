-- Applications that have registered to sign persons in (RFC 7591).
-- takedown: keeps applications, whatever their redirect URLs
create table if not exists oauth_clients (
  -- id of the application
  client_id varchar not null primary key,
  -- registered metadata: names, redirect addresses, grant types
  metadata json not null,
  -- SHA-256 of the secret, hex; null for an application without one
  secret_hash varchar,
  -- time of the registration
  registered_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists oauth_clients_by_seq on oauth_clients (seq);
