create table if not exists property_contacts (
  contact_id uuid not null,
  domain varchar not null,
  contact json not null,
  seq bigint not null
);
comment on table property_contacts is 'Contacts that were saved with the properties of a publisher.';
comment on column property_contacts.contact_id is 'id of the save that contained it';
comment on column property_contacts.domain is 'the publisher';
comment on column property_contacts.contact is 'name and email, if given';
comment on column property_contacts.seq is 'commit that made the row';
