import { columns, type Tables } from '../tenancy/columns.ts'

const ofProject = { id: 'text', created_at: 'time=', updated_at: 'time', project_id: 'text' } as const
/** In v3, the column `origin` is an enum, which `columns.ts` treats as a text. */
const linked = { ...ofProject, media_id: 'text', trace_id: 'text', field: 'text', origin: 'text=' } as const

export const tables = {
  media: columns({
    ...ofProject,
    sha_256_hash: 'text',
    /** Null until the client reports the end of its upload. */
    uploaded_at: 'time?',
    upload_http_status: 'integer?',
    upload_http_error: 'text?',
    bucket_path: 'text',
    bucket_name: 'text',
    content_type: 'text',
    content_length: 'bigint',
  }),
  trace_media: columns(linked),
  observation_media: columns({ ...linked, observation_id: 'text' }),
  dataset_item_media: columns({
    ...ofProject,
    media_id: 'text',
    dataset_id: 'text',
    dataset_item_id: 'text',
    /** Null while no version of the item refers to the uploaded file. */
    dataset_item_valid_from: 'time?',
    /** input, expectedOutput or metadata. */
    field: 'text',
    json_path: 'text?',
    reference_string: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
