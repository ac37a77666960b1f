-- Invitations to organizations, each for one address.
-- takedown: keeps people, whatever their mailbox
create table if not exists invitations (
  -- id of the invitation
  invitation_id varchar not null,
  -- organization that invites
  org_id varchar not null,
  -- the invited address; nobody else can accept it
  email varchar not null,
  -- role that the person gets
  role varchar not null,
  -- SHA-256 of the token in the link, hex; the token is stored nowhere
  hash varchar not null,
  -- time at which it was created
  created_at timestamptz not null,
  -- time from which it cannot be accepted
  expires_at timestamptz not null,
  -- time at which it was accepted or revoked; null while it is pending
  ended_at timestamptz,
  -- person who accepted it, if any
  user_id varchar,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists invitations_by_invitation_id on invitations (invitation_id);
create index if not exists invitations_by_org_id on invitations (org_id);
create index if not exists invitations_by_hash on invitations (hash);
create index if not exists invitations_by_seq on invitations (seq);
