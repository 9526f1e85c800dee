-- Load and query, in several processes.
-- This file is part of ld-hugetext.
-- SPDX-License-Identifier: LGPL-2.1-or-later
\set VERBOSITY terse
\timing off
create table small (id integer primary key, name text);
copy small from stdin;
1	one
2	two
3	three\tand a tab
\.
create table big as
  select n as id, 'name' || (n * 7919) % 99991 as name, n / 7.0 as value,
         n % 97 as class from generate_series (1, 100000) n;
alter table big add primary key (id);
create index on big (class, name);
analyze big;
select count (*), sum (id), round (avg (value), 6), min (name), max (name)
  from big;
select class, count (*), round (sum (value), 3) from big group by class
  order by 2 desc, 1 limit 5;
select a.id, b.name from big a join big b on b.id = a.id * 2
  where a.class = 5 and a.id < 2000 order by 1 limit 5;
select id, row_number () over (order by name), lag (id) over (order by name)
  from big where id % 19997 = 0;
select count (*) from big where name ~ '^name(\d)\1+';
select md5 (string_agg (name, ',' order by id)) from big where id < 5000;
select jsonb_path_query (jsonb_build_object ('a', array_agg (id)), '$.a[1]')
  from big where id < 10;
create function fibonacci (n integer) returns bigint language plpgsql as $$
declare a bigint := 0; b bigint := 1;
begin
  for i in 1 .. n loop
    select b, a + b into a, b;
  end loop;
  return a;
end $$;
select fibonacci (80);
begin;
update big set value = value * 2 where id % 3 = 0;
savepoint s;
delete from big where id % 2 = 0;
rollback to s;
commit;
select round (sum (value), 3) from big;
select 1 / 0;
select * from nothing;
select to_tsvector ('english', 'the quick brown foxes jumped')
  @@ to_tsquery ('fox & jump');
vacuum full big;
drop table big;
