create table if not exists oauth_clients (
  client_id varchar not null,
  metadata json not null,
  secret_hash varchar,
  registered_at timestamptz not null,
  seq bigint not null
);
comment on table oauth_clients is 'Applications that have registered to sign persons in (RFC 7591).';
comment on column oauth_clients.client_id is 'id of the application';
comment on column oauth_clients.metadata is 'registered metadata: names, redirect addresses, grant types';
comment on column oauth_clients.secret_hash is 'SHA-256 of the secret, hex; null for an application without one';
comment on column oauth_clients.registered_at is 'time of the registration';
comment on column oauth_clients.seq is 'commit that last touched the row';
