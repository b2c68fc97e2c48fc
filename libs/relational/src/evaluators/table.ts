import { columns, type Tables } from '../tenancy/columns.ts'

const ofProject = { id: 'text', created_at: 'time=', updated_at: 'time', project_id: 'text' } as const

export const tables = {
  evaluators: columns({
    ...ofProject,
    name: 'text',
    /** LLM_AS_JUDGE or CODE. */
    type: 'text',
    description: 'text?',
    created_by_user_id: 'text?',
    /** Null for an active evaluator. */
    blocked_at: 'time?',
    block_reason: 'text?',
    block_message: 'text?',
  }),
  evaluator_versions: columns({
    id: 'text',
    created_at: 'time=',
    evaluator_id: 'text',
    version: 'integer',
    created_by_user_id: 'text?',
    /** A list of messages as JSON. Rows of v3 contain a plain text instead. */
    prompt: 'text?',
    partner: 'text?',
    model: 'text?',
    provider: 'text?',
    model_params: 'json?',
    vars: 'texts=',
    variable_mapping: 'json?',
    output_definition: 'json?',
    source_code: 'text?',
    source_code_language: 'text?',
  }),
  evaluation_rules: columns({
    ...ofProject,
    created_by_user_id: 'text?',
    name: 'text',
    /** ACTIVE or INACTIVE. */
    status: 'text=',
    /** Always `event` in rows of this product. Rows of v3 can also contain `trace` and `dataset`. */
    target_object: 'text',
    filter: 'json',
    sampling: 'decimal',
    delay: 'integer',
    time_scope: 'texts=',
  }),
  evaluation_rule_evaluator_assignments: columns({
    ...ofProject,
    evaluation_rule_id: 'text',
    evaluator_id: 'text',
    variable_mapping: 'json?',
  }),
  /** Rows without a project are v3's managed templates. */
  eval_templates: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text?',
    name: 'text',
    version: 'integer',
    prompt: 'text',
    partner: 'text?',
    model: 'text?',
    provider: 'text?',
    model_params: 'json?',
    vars: 'texts=',
    output_schema: 'json',
  }),
  job_configurations: columns({
    ...ofProject,
    job_type: 'text=',
    status: 'text=',
    eval_template_id: 'text?',
    score_name: 'text',
    filter: 'json',
    target_object: 'text',
    variable_mapping: 'json',
    sampling: 'decimal',
    delay: 'integer',
    time_scope: 'texts=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
