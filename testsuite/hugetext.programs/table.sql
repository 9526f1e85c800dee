-- Load a table and query it.
-- This file is part of ld-hugetext.
-- SPDX-License-Identifier: LGPL-2.1-or-later
create table t (id integer primary key, name text, value real);
with recursive n (x) as (select 1 union all select x + 1 from n
                         where x < 50000)
insert into t select x, printf ('name%05d', (x * 7919) % 49999), x / 7.0
  from n;
create index t_name on t (name);
select count (*), sum (id), round (avg (value), 6), min (name), max (name)
  from t;
select name, id from t where name like 'name0123%' order by name;
select substr (name, 5, 2) as k, count (*), round (sum (value), 3) from t
  group by k order by 2 desc, 1 limit 5;
select a.id, b.id from t a join t b on b.id = a.id * 2
  where a.name < 'name00010' order by 1;
select id, row_number () over (order by name), lag (id) over (order by name)
  from t where id % 9973 = 0;
select json_group_array (json_object ('id', id)) from t where id < 5;
update t set value = value * 2 where id % 3 = 0;
delete from t where id % 7 = 0;
select count (*), round (sum (value), 3) from t;
vacuum;
pragma integrity_check;
