import { columns, type Tables } from '../tenancy/columns.ts'

const ofProject = { id: 'text', created_at: 'time=', updated_at: 'time', project_id: 'text' } as const

export const tables = {
  llm_api_keys: columns({
    ...ofProject,
    provider: 'text',
    adapter: 'text',
    display_secret_key: 'text',
    /** Encrypted by the caller. */
    secret_key: 'text',
    base_url: 'text?',
    custom_models: 'texts=',
    with_default_models: 'boolean=',
    /** Encrypted JSON. */
    extra_headers: 'text?',
    extra_header_keys: 'texts=',
    config: 'json?',
  }),
  default_llm_models: columns({
    ...ofProject,
    llm_api_key_id: 'text',
    provider: 'text',
    adapter: 'text',
    model: 'text',
    model_params: 'json?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
