-- The file says which format it has.
create table meta (format integer not null);
insert into meta values (1);
