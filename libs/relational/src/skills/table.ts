// A skill is a named folder of text files. A skill has numbered versions, and each version has its own files. Files with equal content are
// stored once, under the hash of the content.
import { columns, type Tables } from '../tenancy/columns.ts'

const ofProject = { id: 'text', created_at: 'time=', updated_at: 'time=', project_id: 'text' } as const

export const tables = {
  skills: columns({ ...ofProject, name: 'text', tags: 'texts=' }),
  skill_versions: columns({
    ...ofProject,
    skill_id: 'text',
    version: 'integer',
    description: 'text',
    frontmatter: 'json',
    /** The label `latest` is not stored, because it is always on the newest version. */
    labels: 'texts=',
    commit_message: 'text?',
    created_by: 'text',
  }),
  skill_blobs: columns({ ...ofProject, sha256_hash: 'text', content_type: 'text', content_length: 'integer', content: 'text' }),
  skill_files: columns({ ...ofProject, skill_version_id: 'text', path: 'text', blob_id: 'text' }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
