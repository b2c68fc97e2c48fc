// A prompt has one row per version.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  prompts: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    created_by: 'text',
    prompt: 'json',
    name: 'text',
    version: 'integer',
    type: 'text=',
    /** Only older servers set it. */
    is_active: 'boolean?',
    config: 'json=',
    tags: 'texts=',
    labels: 'texts=',
    commit_message: 'text?',
  }),
  prompt_dependencies: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    /** Id of the version whose text refers to the child prompt. */
    parent_id: 'text',
    child_name: 'text',
    child_label: 'text?',
    child_version: 'integer?',
  }),
  prompt_protected_labels: columns({ id: 'text', created_at: 'time=', updated_at: 'time', project_id: 'text', label: 'text' }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
