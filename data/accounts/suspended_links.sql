create table if not exists suspended_links (
  review_id varchar not null,
  property_rid varchar not null,
  lifted boolean not null,
  seq bigint not null
);
comment on table suspended_links is 'Contributed properties that are not used in answers while a dispute about their identifier is open, or after it was approved.';
comment on column suspended_links.review_id is 'the dispute';
comment on column suspended_links.property_rid is 'the property';
comment on column suspended_links.lifted is 'whether the dispute was rejected';
comment on column suspended_links.seq is 'commit that last touched the row';
