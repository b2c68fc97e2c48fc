import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  comments: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    /** In v3, the column is an enum of TRACE, OBSERVATION, SESSION, and PROMPT. */
    object_type: 'text',
    object_id: 'text',
    content: 'text',
    author_user_id: 'text?',
    /** This column and the next three store the position of the comment within the object, for the web app. */
    data_field: 'text?',
    path: 'texts=',
    range_start: 'integers=',
    range_end: 'integers=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
