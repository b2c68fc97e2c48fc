// Creates the tables for annotation queues and their assigned users (contract §21.1).
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

const queue = 'text not null references annotation_queues (id) on delete cascade'

export const annotationQueues: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'annotation_queues',
      columns: { ...projectColumns, name: 'text not null', description: 'text', score_config_ids: "text[] not null default '{}'" },
      constraints: [
        'constraint annotation_queues_pkey primary key (id)',
        'constraint annotation_queues_project_id_name_key unique (project_id, name)',
      ],
    })
    await ensureTable(db, {
      name: 'annotation_queue_items',
      columns: {
        ...projectColumns,
        queue_id: queue,
        object_id: 'text not null',
        object_type: 'text not null',
        status: "text not null default 'PENDING'",
        locked_at: 'timestamptz',
        locked_by_user_id: 'text',
        annotator_user_id: 'text',
        completed_at: 'timestamptz',
      },
      constraints: ['constraint annotation_queue_items_pkey primary key (id)'],
      indexes: [
        'create index if not exists annotation_queue_items_project_id_queue_id_status_idx on annotation_queue_items (project_id, queue_id, status)',
      ],
    })
    await ensureTable(db, {
      name: 'annotation_queue_assignments',
      columns: { ...projectColumns, user_id: 'text not null', queue_id: queue },
      constraints: [
        'constraint annotation_queue_assignments_pkey primary key (id)',
        'constraint annotation_queue_assignments_project_id_queue_id_user_id_key unique (project_id, queue_id, user_id)',
      ],
    })
  },
  down: noWayBack,
}
