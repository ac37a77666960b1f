-- Contributed properties that are not used in answers while a dispute about their identifier is open, or after it was approved.
-- takedown: keeps, since it names no domain
create table if not exists suspended_links (
  -- the dispute
  review_id varchar not null,
  -- the property
  property_rid varchar not null,
  -- whether the dispute was rejected
  lifted boolean not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists suspended_links_by_review_id on suspended_links (review_id);
create index if not exists suspended_links_by_property_rid on suspended_links (property_rid);
create index if not exists suspended_links_by_seq on suspended_links (seq);
