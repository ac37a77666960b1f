create table if not exists invitations (
  invitation_id varchar not null,
  org_id varchar not null,
  email varchar not null,
  role varchar not null,
  hash varchar not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_id varchar,
  seq bigint not null
);
comment on table invitations is 'Invitations to organizations, each for one address.';
comment on column invitations.invitation_id is 'id of the invitation';
comment on column invitations.org_id is 'organization that invites';
comment on column invitations.email is 'the invited address; nobody else can accept it';
comment on column invitations.role is 'role that the person gets';
comment on column invitations.hash is 'SHA-256 of the token in the link, hex; the token is stored nowhere';
comment on column invitations.created_at is 'time at which it was created';
comment on column invitations.expires_at is 'time from which it cannot be accepted';
comment on column invitations.ended_at is 'time at which it was accepted or revoked; null while it is pending';
comment on column invitations.user_id is 'person who accepted it, if any';
comment on column invitations.seq is 'commit that last touched the row';
