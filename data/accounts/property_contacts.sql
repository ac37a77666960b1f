-- Contacts that were saved with the properties of a publisher.
-- takedown: deletes by domain
create table if not exists property_contacts (
  -- id of the save that contained it
  contact_id uuid not null,
  -- the publisher
  domain varchar not null,
  -- name and email, if given
  contact json not null,
  -- commit that made the row
  seq bigint not null
);
create index if not exists property_contacts_by_contact_id on property_contacts (contact_id);
create index if not exists property_contacts_by_domain on property_contacts (domain);
create index if not exists property_contacts_by_seq on property_contacts (seq);
