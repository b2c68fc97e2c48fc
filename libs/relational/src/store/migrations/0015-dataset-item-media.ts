// Adds a table of the files to which dataset items refer (contract §21.1).
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const datasetItemMedia: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'dataset_item_media',
      columns: {
        ...projectColumns,
        media_id: 'text not null',
        dataset_id: 'text not null',
        dataset_item_id: 'text not null',
        dataset_item_valid_from: 'timestamptz',
        field: 'text not null',
        json_path: 'text',
        reference_string: 'text',
      },
      constraints: [
        'constraint dataset_item_media_pkey primary key (id)',
        // In v3's database, the constraint has this name, because PostgreSQL truncates names to 63 bytes.
        'constraint dataset_item_media_project_id_dataset_item_id_dataset_item__key unique (project_id, dataset_item_id, dataset_item_valid_from, field, json_path)',
        'constraint dataset_item_media_media_id_project_id_fkey foreign key (media_id, project_id) references media (id, project_id) on delete cascade',
      ],
      indexes: ['create index if not exists dataset_item_media_project_id_media_id_idx on dataset_item_media (project_id, media_id)'],
    })
  },
  down: noWayBack,
}
