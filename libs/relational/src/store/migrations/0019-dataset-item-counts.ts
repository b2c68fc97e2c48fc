// Divides the ordered items of each dataset into ranges and stores the number of active items in each range. Triggers update the counts in
// the transaction of each change, even if a v3 server on the same database makes the change.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const active = "valid_to is null and is_deleted = false and status = 'ACTIVE'"

const changes = {
  insert: { tables: 'new table as added', from: `select *, 1 as step from added where ${active}` },
  update: {
    tables: 'old table as gone new table as added',
    from: `select *, 1 as step from added where ${active} union all select *, -1 from gone where ${active}`,
  },
  delete: { tables: 'old table as gone', from: `select *, -1 as step from gone where ${active}` },
}

/**
 * Returns the body of the trigger's function. If the number of active items in a range changes, the function adds a row for this range to
 * `dataset_item_counts`. The row states by how much the number changes. A range contains consecutive items of one dataset, sorted by
 * descending time, and then by ascending id. `for key share` locks the datasets, so that the ranges of these datasets stay unchanged until
 * the transaction ends.
 */
const counting = (from: string) => `
begin
  perform from datasets where (id, project_id) in (select dataset_id, project_id from (${from}) as changed) order by id for key share;
  insert into dataset_item_counts (project_id, dataset_id, from_created_at, from_id, items)
  select changed.project_id, changed.dataset_id, coalesce(range.from_created_at, 'infinity'), coalesce(range.from_id, ''), sum(step)
  from (${from}) as changed
  join datasets on datasets.id = changed.dataset_id and datasets.project_id = changed.project_id
  left join lateral (
    select from_created_at, from_id from dataset_item_counts as counts
    where counts.project_id = changed.project_id and counts.dataset_id = changed.dataset_id
      and from_created_at >= changed.created_at and (from_created_at > changed.created_at or from_id <= changed.id)
    order by from_created_at, from_id desc limit 1
  ) as range on true
  group by 1, 2, 3, 4
  having sum(step) <> 0;
  return null;
end`

/** Number of items in each created range. */
const rangeItems = 1000

export const datasetItemCounts: Migration = {
  async up(db: Kysely<unknown>) {
    // The new table takes its types from `dataset_items`, because these types differ between databases: v3's times have no time zone.
    await sql`create table dataset_item_counts as
      select project_id, dataset_id, created_at as from_created_at, id as from_id, 0::bigint as items from dataset_items where false`.execute(
      db,
    )
    for (const column of ['project_id', 'dataset_id', 'from_created_at', 'from_id', 'items'])
      await sql.raw(`alter table dataset_item_counts alter column ${column} set not null`).execute(db)
    await sql`alter table dataset_item_counts add constraint dataset_item_counts_dataset_id_project_id_fkey
      foreign key (dataset_id, project_id) references datasets (id, project_id) on delete cascade`.execute(db)
    await sql`create index dataset_item_counts_idx on dataset_item_counts (project_id, dataset_id, from_created_at desc, from_id) include (items)`.execute(
      db,
    )
    await sql`create index if not exists dataset_items_changed_idx on dataset_items (project_id, dataset_id, valid_from)`.execute(db)
    for (const [change, { tables, from }] of Object.entries(changes)) {
      const name = `svc_count_dataset_items_${change}`
      await sql.raw(`create function ${name}() returns trigger language plpgsql as $count$${counting(from)}$count$`).execute(db)
      await sql
        .raw(`create trigger ${name} after ${change} on dataset_items referencing ${tables} for each statement execute function ${name}()`)
        .execute(db)
    }
    await sql`insert into dataset_item_counts (project_id, dataset_id, from_created_at, from_id, items)
      select project_id, dataset_id, case at when 0 then 'infinity' else created_at end, case at when 0 then '' else id end,
        least(total - at, ${sql.lit(rangeItems)})
      from (
        select project_id, dataset_id, created_at, id, count(*) over (partition by project_id, dataset_id) as total,
          row_number() over (partition by project_id, dataset_id order by created_at desc, id) - 1 as at
        from dataset_items where ${sql.raw(active)}
      ) as placed
      where at % ${sql.lit(rangeItems)} = 0`.execute(db)
  },

  async down(db: Kysely<unknown>) {
    for (const change of Object.keys(changes)) {
      await sql.raw(`drop trigger svc_count_dataset_items_${change} on dataset_items`).execute(db)
      await sql.raw(`drop function svc_count_dataset_items_${change}()`).execute(db)
    }
    await sql`drop index if exists dataset_items_changed_idx`.execute(db)
    await sql`drop table dataset_item_counts`.execute(db)
  },
}
