-- Load and query in single-user mode: an empty line ends a statement.
-- This file is part of ld-hugetext.
-- SPDX-License-Identifier: LGPL-2.1-or-later
create table t (id integer primary key, name text, value numeric);

insert into t select n, 'name' || (n * 7919) % 49999, n / 7.0
  from generate_series (1, 50000) n;

create index on t (name);

analyze t;

select count (*), sum (id), round (avg (value), 6), min (name) from t;

select id % 97 as class, count (*), round (sum (value), 3) from t
  group by 1 order by 2 desc, 1 limit 3;

select count (*) from t where name ~ '^name(\d)\1+';

select md5 (string_agg (name, ',' order by id)) from t where id < 5000;

update t set value = value * 2 where id % 3 = 0;

select round (sum (value), 3) from t;

select encode (sha256 (convert_to (string_agg (name, '' order by name),
  'UTF8')), 'hex') from t;

drop table t;

