create or replace macro utc_time(moment) as make_timestamp(epoch_us(moment));
comment on macro utc_time is 'Time in UTC, as a TIMESTAMP: utc_time(created_at)::date is the UTC day, and utc_time(created_at) > utc_time(now()) - interval 1 day compares. A plain cast such as created_at::date follows the time zone of the session, and DuckDB in a browser has no time zones.';
