import { columns, type Tables } from '../tenancy/columns.ts'

const ofProject = { id: 'text', created_at: 'time=', updated_at: 'time', project_id: 'text' } as const

export const tables = {
  annotation_queues: columns({ ...ofProject, name: 'text', description: 'text?', score_config_ids: 'texts=' }),
  annotation_queue_items: columns({
    ...ofProject,
    queue_id: 'text',
    object_id: 'text',
    /** In v3, the column is an enum of TRACE, OBSERVATION, and SESSION. */
    object_type: 'text',
    /** PENDING or COMPLETED. */
    status: 'text=',
    /** Time when a user began to annotate the item. For a few minutes, no other user gets the item. */
    locked_at: 'time?',
    locked_by_user_id: 'text?',
    annotator_user_id: 'text?',
    completed_at: 'time?',
  }),
  annotation_queue_assignments: columns({ ...ofProject, user_id: 'text', queue_id: 'text' }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
