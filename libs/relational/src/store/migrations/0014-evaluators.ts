// Creates the tables for evaluators with versions, and for the rules that assign the evaluators. Copies v3's templates and configurations,
// and keeps the originals for a return to v3 (contract §21.1, contract §9.4.7).
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

/**
 * A project gets one evaluator for each of its own templates, and for each shared template that it uses. All versions of a template become
 * versions of one evaluator. This SQL computes the evaluator's id.
 */
const evaluatorId = (project: string, template: string) =>
  `'v3-' || md5(${project} || '/' || coalesce(${template}.project_id, '') || '/' || ${template}.name)`

const usedTemplates = `select t.project_id as project_id, t.id as template_id from eval_templates t where t.project_id is not null
  union select c.project_id, c.eval_template_id from job_configurations c where c.eval_template_id is not null`

const copies = [
  `insert into evaluators (id, created_at, updated_at, project_id, name, type, description)
   select ${evaluatorId('u.project_id', 't')}, min(t.created_at), max(t.updated_at), u.project_id, t.name, 'LLM_AS_JUDGE',
     'Legacy: made with version 3. Rules of whole traces and of datasets stop after the cutover.'
   from (${usedTemplates}) u join eval_templates t on t.id = u.template_id group by u.project_id, t.project_id, t.name on conflict do nothing`,
  `insert into evaluator_versions (id, created_at, evaluator_id, version, prompt, partner, model, provider, model_params, vars, output_definition)
   select distinct on (e.id, v.version) 'v3-' || md5(e.id || '/' || v.id), v.created_at, e.id, v.version, v.prompt, v.partner, v.model, v.provider, v.model_params,
     v.vars, v.output_schema
   from (${usedTemplates}) u join eval_templates t on t.id = u.template_id
   join eval_templates v on v.name = t.name and v.project_id is not distinct from t.project_id
   join evaluators e on e.id = ${evaluatorId('u.project_id', 't')}
   on conflict do nothing`,
  `insert into evaluation_rules (id, created_at, updated_at, project_id, name, status, target_object, filter, sampling, delay, time_scope)
   select c.id, c.created_at, c.updated_at, c.project_id, c.score_name, c.status::text, c.target_object, c.filter, c.sampling, c.delay, c.time_scope
   from job_configurations c on conflict do nothing`,
  `insert into evaluation_rule_evaluator_assignments (id, created_at, updated_at, project_id, evaluation_rule_id, evaluator_id, variable_mapping)
   select 'v3-' || md5(c.id), c.created_at, c.updated_at, c.project_id, c.id, ${evaluatorId('c.project_id', 't')}, c.variable_mapping
   from job_configurations c join eval_templates t on t.id = c.eval_template_id on conflict do nothing`,
]

export const evaluators: Migration = {
  async up(db: Kysely<unknown>) {
    const { project_id: _, ...shared } = projectColumns
    await ensureTable(db, {
      name: 'eval_templates',
      columns: {
        ...shared,
        project_id: 'text references projects (id) on delete cascade',
        name: 'text not null',
        version: 'integer not null',
        prompt: 'text not null',
        partner: 'text',
        model: 'text',
        provider: 'text',
        model_params: 'jsonb',
        vars: "text[] not null default '{}'",
        output_schema: 'jsonb not null',
      },
      constraints: [
        'constraint eval_templates_pkey primary key (id)',
        'constraint eval_templates_project_id_name_version_key unique (project_id, name, version)',
      ],
    })
    await ensureTable(db, {
      name: 'job_configurations',
      columns: {
        ...projectColumns,
        job_type: "text not null default 'EVAL'",
        status: "text not null default 'ACTIVE'",
        eval_template_id: 'text references eval_templates (id) on delete set null',
        score_name: 'text not null',
        filter: 'jsonb not null',
        target_object: 'text not null',
        variable_mapping: 'jsonb not null',
        sampling: 'numeric not null',
        delay: 'integer not null',
        time_scope: "text[] not null default '{NEW}'",
      },
      constraints: ['constraint job_configurations_pkey primary key (id)'],
    })
    await ensureTable(db, {
      name: 'evaluators',
      columns: {
        ...projectColumns,
        name: 'text not null',
        type: 'text not null',
        description: 'text',
        created_by_user_id: 'text',
        blocked_at: 'timestamptz',
        block_reason: 'text',
        block_message: 'text',
      },
      constraints: ['constraint evaluators_pkey primary key (id)'],
      indexes: ['create index if not exists evaluators_project_id_created_at_idx on evaluators (project_id, created_at desc)'],
    })
    await ensureTable(db, {
      name: 'evaluator_versions',
      columns: {
        id: 'text not null',
        created_at: 'timestamptz not null default now()',
        evaluator_id: 'text not null references evaluators (id) on delete cascade',
        version: 'integer not null',
        created_by_user_id: 'text',
        prompt: 'text',
        partner: 'text',
        model: 'text',
        provider: 'text',
        model_params: 'jsonb',
        vars: "text[] not null default '{}'",
        variable_mapping: 'jsonb',
        output_definition: 'jsonb',
        source_code: 'varchar(262144)',
        source_code_language: 'text',
      },
      constraints: [
        'constraint evaluator_versions_pkey primary key (id)',
        'constraint evaluator_versions_evaluator_id_version_key unique (evaluator_id, version)',
      ],
    })
    await ensureTable(db, {
      name: 'evaluation_rules',
      columns: {
        ...projectColumns,
        created_by_user_id: 'text',
        name: 'text not null',
        status: "text not null default 'ACTIVE'",
        target_object: 'text not null',
        filter: 'jsonb not null',
        sampling: 'numeric not null',
        delay: 'integer not null',
        time_scope: "text[] not null default '{NEW}'",
      },
      constraints: ['constraint evaluation_rules_pkey primary key (id)'],
      indexes: ['create index if not exists evaluation_rules_project_id_updated_at_idx on evaluation_rules (project_id, updated_at desc)'],
    })
    await ensureTable(db, {
      name: 'evaluation_rule_evaluator_assignments',
      columns: {
        ...projectColumns,
        evaluation_rule_id: 'text not null references evaluation_rules (id) on delete cascade',
        evaluator_id: 'text not null references evaluators (id) on delete cascade',
        variable_mapping: 'jsonb',
      },
      constraints: [
        'constraint evaluation_rule_evaluator_assignments_pkey primary key (id)',
        // The name has `rule_id` instead of `evaluation_rule_id`, because PostgreSQL truncates names to 63 bytes.
        'constraint evaluation_rule_evaluator_assignments_rule_id_evaluator_id_key unique (evaluation_rule_id, evaluator_id)',
      ],
      indexes: [
        'create index if not exists evaluation_rule_evaluator_assignments_evaluator_id_idx on evaluation_rule_evaluator_assignments (evaluator_id)',
      ],
    })
    for (const copy of copies) await sql.raw(copy).execute(db)
  },
  down: noWayBack,
}
