create table if not exists submissions (
  submission_id varchar not null,
  operation varchar not null,
  answer json not null,
  submitted_at timestamptz not null,
  seq bigint not null
);
