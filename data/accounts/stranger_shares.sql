-- What each caller has of the stranger items: counted here, since the largest share is asked for at each one that gives way.
-- takedown: keeps, since it names no domain
create table if not exists stranger_shares (
  -- kind of the items
  kind varchar not null,
  -- part of a hash of the caller's address
  caller varchar not null,
  -- number of items
  items integer not null,
  primary key (kind, caller)
);
create index if not exists stranger_shares_by_items on stranger_shares (kind, items desc);
create trigger if not exists stranger_items_added after insert on stranger_items begin
  insert into stranger_shares values (new.kind, new.caller, 1)
    on conflict do update set items = items + 1;
end;
create trigger if not exists stranger_items_removed after delete on stranger_items begin
  update stranger_shares set items = items - 1 where kind = old.kind and caller = old.caller;
  delete from stranger_shares where kind = old.kind and caller = old.caller and items = 0;
end;
-- Items of a version that did not count them.
insert into stranger_shares
  select kind, caller, count(*) from stranger_items
  where not exists (select 1 from stranger_shares) group by kind, caller;
